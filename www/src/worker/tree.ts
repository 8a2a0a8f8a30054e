/** A folder of the visitor's: a directory handle, an uploaded directory or an unpacked zip. Read only. */
import { unzipSync } from "fflate";

/** What the page hands over; each of them can be posted to a worker. */
export type FolderSource =
  | { kind: "handle"; handle: FileSystemDirectoryHandle }
  | { kind: "files"; files: readonly (readonly [path: string, file: File])[] }
  | { kind: "zip"; name: string; zip: Blob };

export type EntryKind = "file" | "directory";

export interface Tree {
  readonly name: string;
  /** The file at a path such as `src/a.ts`, or `undefined`. */
  blob(path: string): Promise<Blob | undefined>;
  /** What a directory holds (`""` is the top), or `undefined` when there is none. */
  entries(directory: string): Promise<ReadonlyMap<string, EntryKind> | undefined>;
}

/** A zip may unpack to no more than this many bytes, all of it in memory. */
const MAX_UNPACKED = 256 * 1024 * 1024;

export async function openTree(source: FolderSource): Promise<Tree> {
  if (source.kind === "handle") return new HandleTree(source.handle);
  if (source.kind === "files") return new MapTree(new Map(source.files), "project");
  return new MapTree(unpack(new Uint8Array(await source.zip.arrayBuffer())), source.name.replace(/\.zip$/i, ""));
}

function unpack(zip: Uint8Array): Map<string, Blob> {
  let total = 0;
  const unpacked = unzipSync(zip, {
    filter(entry) {
      total += entry.originalSize;
      if (total > MAX_UNPACKED) throw new Error("The zip unpacks to more than 256 MB: open the folder instead.");
      return !entry.name.endsWith("/");
    },
  });
  return new Map(Object.entries(unpacked).map(([path, bytes]) => [path, new Blob([bytes as Uint8Array<ArrayBuffer>])]));
}

/** `a/./b` and `a//b` name `a/b`; a path that climbs out names nothing. */
function parts(path: string): string[] | undefined {
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  return names.includes("..") ? undefined : names;
}

class MapTree implements Tree {
  readonly name: string;
  readonly #blobs = new Map<string, Blob>();
  readonly #directories = new Map<string, Map<string, EntryKind>>([["", new Map()]]);

  constructor(blobs: ReadonlyMap<string, Blob>, name: string) {
    const tops = new Set([...blobs.keys()].map((path) => path.slice(0, path.indexOf("/") + 1)));
    const [top = ""] = tops.size === 1 ? tops : [];
    this.name = top.slice(0, -1) || name;
    for (const [path, blob] of blobs) {
      const names = parts(path.slice(top.length));
      if (names) this.#add(names, blob);
    }
  }

  #add(names: readonly string[], blob: Blob): void {
    this.#blobs.set(names.join("/"), blob);
    names.forEach((name, index) => {
      const parent = names.slice(0, index).join("/");
      const siblings = this.#directories.get(parent) ?? new Map<string, EntryKind>();
      this.#directories.set(parent, siblings);
      if (siblings.get(name) !== "directory") siblings.set(name, index === names.length - 1 ? "file" : "directory");
    });
  }

  async blob(path: string): Promise<Blob | undefined> {
    const names = parts(path);
    return names && this.#blobs.get(names.join("/"));
  }

  async entries(directory: string): Promise<ReadonlyMap<string, EntryKind> | undefined> {
    const names = parts(directory);
    return names && this.#directories.get(names.join("/"));
  }
}

class HandleTree implements Tree {
  readonly name: string;
  readonly #directories = new Map<string, Promise<FileSystemDirectoryHandle | undefined>>();

  constructor(top: FileSystemDirectoryHandle) {
    this.name = top.name;
    this.#directories.set("", Promise.resolve(top));
  }

  #directory(names: readonly string[]): Promise<FileSystemDirectoryHandle | undefined> {
    const path = names.join("/");
    let found = this.#directories.get(path);
    if (!found) {
      found = this.#directory(names.slice(0, -1)).then((parent) => parent?.getDirectoryHandle(names.at(-1) ?? "")).catch(() => undefined);
      this.#directories.set(path, found);
    }
    return found;
  }

  async blob(path: string): Promise<Blob | undefined> {
    const names = parts(path);
    if (!names?.length) return undefined;
    const parent = await this.#directory(names.slice(0, -1));
    try {
      return await (await parent?.getFileHandle(names.at(-1) ?? ""))?.getFile();
    } catch {
      return undefined;
    }
  }

  async entries(directory: string): Promise<ReadonlyMap<string, EntryKind> | undefined> {
    const names = parts(directory);
    const handle = names && (await this.#directory(names));
    if (!handle) return undefined;
    const found = new Map<string, EntryKind>();
    for await (const entry of handle.values()) found.set(entry.name, entry.kind);
    return found;
  }
}
