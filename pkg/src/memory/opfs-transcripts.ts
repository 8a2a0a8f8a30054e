/**
 * Transcripts in a browser's private file system, for workers.
 *
 * A file there opens asynchronously and a storage may not wait, so a pool of files is held open. Each
 * begins with a header naming the path it stands for; one with an empty header is spare.
 */
import type { TranscriptStorage } from "../transcript-types.js";
import { namesIn } from "./transcript-storage.js";

/** Options of {@link openOpfsTranscriptStorage}. */
export interface OpfsTranscriptOptions {
  /** The directory in the origin's private file system; `agent-evidence/chats` when absent. */
  directory?: string;
  /** How many new chats may begin before the event loop turns; 8 when absent. */
  spare?: number;
}

/** A storage that keeps its files open: one worker at a time has a directory. */
export interface OpfsTranscriptStorage extends TranscriptStorage {
  /** Opens spare files until there are `count`, for a burst of new chats. */
  reserve(count: number): Promise<void>;
  /** Closes every file; another worker may open the directory. */
  close(): void;
}

// In TypeScript's worker library only, which cannot be used beside the DOM's.
interface SyncAccessHandle {
  read(target: Uint8Array, options: { at: number }): number;
  write(source: Uint8Array, options: { at: number }): number;
  truncate(size: number): void;
  getSize(): number;
  flush(): void;
  close(): void;
}

type PoolHandle = FileSystemFileHandle & { createSyncAccessHandle?: () => Promise<SyncAccessHandle> };

const HEADER_BYTES = 1024;
const PREFIX_BYTES = 8;
const MAGIC = 0x41455631;
const NEWLINE = 0x0a;
const DEFAULT_DIRECTORY = "agent-evidence/chats";
const DEFAULT_SPARE = 8;

/**
 * Opens the transcripts of a directory of the origin's private file system, in a worker.
 * Rejects with the browser's error when another worker has it open.
 */
export async function openOpfsTranscriptStorage(options: OpfsTranscriptOptions = {}): Promise<OpfsTranscriptStorage> {
  const { directory = DEFAULT_DIRECTORY, spare = DEFAULT_SPARE } = options;
  let folder = await navigator.storage.getDirectory();
  for (const name of directory.split("/").filter(Boolean)) folder = await folder.getDirectoryHandle(name, { create: true });
  const pool = new Pool(folder, spare);
  try {
    await pool.open();
    await pool.reserve(spare);
  } catch (error) {
    pool.close();
    throw error;
  }
  return pool;
}

class Pool implements OpfsTranscriptStorage {
  readonly #folder: FileSystemDirectoryHandle;
  readonly #keep: number;
  readonly #byPath = new Map<string, SyncAccessHandle>();
  readonly #spare: SyncAccessHandle[] = [];
  #made = 0;
  #growing: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(folder: FileSystemDirectoryHandle, keep: number) {
    this.#folder = folder;
    this.#keep = keep;
  }

  async open(): Promise<void> {
    for await (const [name, handle] of this.#folder as unknown as AsyncIterable<[string, PoolHandle]>) {
      const number = /^(\d+)\.pool$/.exec(name)?.[1];
      if (number === undefined || handle.kind !== "file") continue;
      this.#made = Math.max(this.#made, Number(number) + 1);
      const file = await openHandle(handle);
      const path = readHeader(file);
      if (path !== null && !this.#byPath.has(path)) {
        this.#byPath.set(path, file);
      } else {
        file.truncate(0);
        this.#spare.push(file);
      }
    }
  }

  reserve(count: number): Promise<void> {
    const grow = async () => {
      while (this.#spare.length < count && !this.#closed) {
        const handle = await this.#folder.getFileHandle(`${this.#made++}.pool`, { create: true });
        const file = await openHandle(handle);
        if (this.#closed) file.close();
        else this.#spare.push(file);
      }
    };
    return (this.#growing = this.#growing.then(grow, grow));
  }

  close(): void {
    this.#closed = true;
    for (const file of [...this.#byPath.values(), ...this.#spare]) file.close();
    this.#byPath.clear();
    this.#spare.length = 0;
  }

  ensureDir(): void {
    if (this.#closed) throw fault("CLOSED");
  }

  append(path: string, line: Uint8Array, { sync }: { readonly sync: boolean }): void {
    const known = this.#byPath.get(path);
    const file = known ?? this.#begin(path);
    const size = file.getSize();
    const last = new Uint8Array(1);
    let bytes = line;
    if (size > HEADER_BYTES && file.read(last, { at: size - 1 }) === 1 && last[0] !== NEWLINE) {
      bytes = new Uint8Array(line.length + 1);
      bytes[0] = NEWLINE;
      bytes.set(line, 1);
    }
    try {
      if (file.write(bytes, { at: size }) < bytes.length) throw fault("SHORT_WRITE");
      if (sync) file.flush();
    } catch (error) {
      file.truncate(size);
      if (!known) this.remove(path);
      throw error;
    }
  }

  read(path: string, offset: number, target: Uint8Array): number | null {
    const file = this.#byPath.get(path);
    return file ? file.read(target, { at: HEADER_BYTES + offset }) : null;
  }

  stat(path: string): { size: number } | null {
    const file = this.#byPath.get(path);
    return file ? { size: file.getSize() - HEADER_BYTES } : null;
  }

  list(dir: string): string[] {
    return namesIn(dir, this.#byPath.keys());
  }

  remove(path: string): void {
    const file = this.#byPath.get(path);
    if (!file) return;
    file.truncate(0);
    file.flush();
    this.#byPath.delete(path);
    this.#spare.push(file);
  }

  #begin(path: string): SyncAccessHandle {
    if (this.#closed) throw fault("CLOSED");
    const file = this.#spare.pop();
    if (!file) throw fault("NO_SPARE_FILE");
    try {
      writeHeader(file, path);
    } catch (error) {
      file.truncate(0);
      this.#spare.push(file);
      throw error;
    }
    this.#byPath.set(path, file);
    // The next new chat finds a file; a failure shows when it does not.
    if (this.#spare.length < this.#keep) this.reserve(this.#keep).catch(() => {});
    return file;
  }
}

async function openHandle(handle: PoolHandle): Promise<SyncAccessHandle> {
  if (!handle.createSyncAccessHandle) throw fault("NOT_IN_A_WORKER");
  return handle.createSyncAccessHandle();
}

// Magic number, length of the path, the path in UTF-8, zeros: written at once.
function writeHeader(file: SyncAccessHandle, path: string): void {
  const header = new Uint8Array(HEADER_BYTES);
  const bytes = new TextEncoder().encode(path);
  if (bytes.length > HEADER_BYTES - PREFIX_BYTES) throw fault("PATH_TOO_LONG");
  const view = new DataView(header.buffer);
  view.setUint32(0, MAGIC);
  view.setUint32(4, bytes.length);
  header.set(bytes, PREFIX_BYTES);
  if (file.write(header, { at: 0 }) < HEADER_BYTES) throw fault("SHORT_WRITE");
}

function readHeader(file: SyncAccessHandle): string | null {
  const header = new Uint8Array(HEADER_BYTES);
  if (file.read(header, { at: 0 }) < HEADER_BYTES) return null;
  const view = new DataView(header.buffer);
  const length = view.getUint32(4);
  if (view.getUint32(0) !== MAGIC || length === 0 || length > HEADER_BYTES - PREFIX_BYTES) return null;
  return new TextDecoder().decode(header.subarray(PREFIX_BYTES, PREFIX_BYTES + length));
}

function fault(code: string): Error {
  return Object.assign(new Error(code), { code });
}
