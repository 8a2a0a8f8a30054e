/** Transcripts in memory: for tests, and for tabs that need not keep them. */
import type { TranscriptStorage } from "../transcript-types.js";

/** A storage whose files can be looked at and put in place. */
export interface MemoryTranscriptStorage extends TranscriptStorage {
  /** The bytes of each file by path. Setting one replaces the file. */
  readonly files: Map<string, Uint8Array>;
}

const NEWLINE = 0x0a;

/** An empty storage in memory. */
export function memoryTranscriptStorage(): MemoryTranscriptStorage {
  const files = new Map<string, Uint8Array>();
  // Only buffers made here have room behind their bytes that belongs to nobody else.
  const ours = new WeakSet<ArrayBufferLike>();
  return {
    files,
    ensureDir() {},
    append(path, line) {
      const before = files.get(path) ?? new Uint8Array();
      const gap = before.length === 0 || before.at(-1) === NEWLINE ? 0 : 1;
      const length = before.length + gap + line.length;
      const hasRoom = ours.has(before.buffer) && before.buffer.byteLength >= length;
      const buffer = hasRoom ? before.buffer : new ArrayBuffer(Math.max(1024, 2 * length));
      ours.add(buffer);
      const after = new Uint8Array(buffer, 0, length);
      if (!hasRoom) after.set(before);
      if (gap) after[before.length] = NEWLINE;
      after.set(line, before.length + gap);
      files.set(path, after);
    },
    read(path, offset, target) {
      const file = files.get(path);
      if (!file) return null;
      const piece = file.subarray(offset, offset + target.length);
      target.set(piece);
      return piece.length;
    },
    stat(path) {
      const file = files.get(path);
      return file ? { size: file.length } : null;
    },
    list: (dir) => namesIn(dir, files.keys()),
    remove(path) {
      files.delete(path);
    },
  };
}

/** The names of those `paths` that are directly in `dir`. */
export function namesIn(dir: string, paths: Iterable<string>): string[] {
  const bare = dir.replace(/[\\/]+$/, "");
  const names: string[] = [];
  for (const path of paths) {
    const cut = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
    if (path.slice(0, Math.max(cut, 0)) === bare) names.push(path.slice(cut + 1));
  }
  return names;
}
