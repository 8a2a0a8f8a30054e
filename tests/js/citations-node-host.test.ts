import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { chatCitationDeps } from "agent-evidence/node";
import type { ChatCitationHost } from "agent-evidence/citations";
import { children, gits, program, Repository, temporaryFolder, write } from "./repository.ts";

const folder = temporaryFolder();
let hosts: ChatCitationHost[] = [];
afterEach(async () => {
  await Promise.all(hosts.map((host) => host.close()));
  hosts = [];
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function host(git: string, options: { timeoutMs?: number; idleMs?: number } = {}): ChatCitationHost {
  const made = chatCitationDeps({ git, ...options });
  hosts.push(made);
  return made;
}

let count = 0;
function newFolder(): string {
  const made = join(folder, `é ${count++}`);
  mkdirSync(made);
  return made;
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 200 && !holds(); tries += 1) await new Promise((resolve) => setTimeout(resolve, 25));
  expect(holds()).toBe(true);
}

function objectName(type: string, body: string): string {
  return createHash("sha1").update(`${type} ${Buffer.byteLength(body)}\0${body}`).digest("hex");
}

/** A body whose object name starts with `prefix`. */
function bodyNamed(type: string, prefix: string, body: (n: number) => string): string {
  for (let n = 0; ; n += 1) if (objectName(type, body(n)).startsWith(prefix)) return body(n);
}

test("there is a git to test with", () => expect(gits.length).toBeGreaterThan(0));

describe.each(gits)("commits, with %s", (git) => {
  let repository: Repository;
  let first: string;
  let second: string;
  beforeAll(() => {
    repository = new Repository(git, newFolder());
    repository.write("a.txt", "one\n");
    first = repository.commit("first");
    repository.write("a.txt", "two\n");
    second = repository.commit("second");
  });

  const check = (names: string[], root = repository.root): Promise<string[]> => host(git).commitsExist(root, names);

  test("a name is present whole, abbreviated, in any case, and from a folder below", async () => {
    const names = [first, second, first.slice(0, 7), second.slice(0, 12).toUpperCase(), second];
    expect(await check(names)).toEqual(names.map(() => "present"));
    repository.write("sub/folder/b.txt", "");
    expect(await check([first], join(repository.root, "sub/folder"))).toEqual(["present"]);
    expect(await host(git).commitExists(repository.root, first)).toBe("present");
  });

  test("what names no commit is absent", async () => {
    const tree = repository.run("rev-parse", "HEAD^{tree}");
    const blob = repository.run("rev-parse", "HEAD:a.txt");
    const names = ["deadbeef1", "0".repeat(40), tree, tree.slice(0, 8), blob, `${first}0`, `${first}${"0".repeat(24)}`, "4b825dc642cb6eb9a060e54bf8d69288fbee4904"];
    const nonsense = ["HEAD", "main", "--help", "", "abc", `${first}\n${second}`, `${first}^{tree}`, "é漢😀", "f".repeat(100_000)];
    expect(await check([...names, ...nonsense])).toEqual([...names, ...nonsense].map(() => "absent"));
  });

  test("an annotated tag's own name stands for its commit, but not for a tree", async () => {
    repository.run("tag", "--annotate", "--message", "v", "v1", first);
    repository.run("tag", "--annotate", "--message", "t", "tree", "HEAD^{tree}");
    const [tag, tree] = [repository.run("rev-parse", "v1"), repository.run("rev-parse", "tree")];
    expect(await check([tag, tag.slice(0, 9), tree])).toEqual(["present", "present", "absent"]);
  });

  test("a branch named like hex neither makes a commit nor hides one", async () => {
    const other = new Repository(git, newFolder());
    const commit = other.commit("é");
    const hidden = other.commit("漢");
    for (const name of ["deadbee", hidden.slice(0, 7), `evidence-0-g${hidden.slice(0, 8)}`, "evidence-0-gabcdef1"]) other.run("branch", name, commit);
    expect(await check(["deadbee", hidden.slice(0, 7), hidden.slice(0, 8), "abcdef1"], other.root)).toEqual(["absent", "present", "present", "absent"]);
  });

  test("an abbreviation shared by several objects is present when one is a commit", async () => {
    const other = new Repository(git, newFolder());
    const commit = other.commit("first");
    const body = other.run("cat-file", "commit", commit);
    const add = (type: string, text: string): void => expect(other.feed(text, "hash-object", "-t", type, "-w", "--stdin")).toBe(objectName(type, text));
    add("blob", bodyNamed("blob", commit.slice(0, 4), (n) => `b${n}`));
    expect(await check([commit.slice(0, 4)], other.root)).toEqual(["present"]);
    add("commit", bodyNamed("commit", commit.slice(0, 4), (n) => `${body}${n}\n`));
    expect(await check([commit.slice(0, 4), commit], other.root)).toEqual(["present", "present"]);
    const [one, two] = ["c", "d"].map((letter) => bodyNamed("blob", commit.startsWith("beef") ? "feed" : "beef", (n) => letter + n));
    add("blob", one as string);
    add("blob", two as string);
    expect(await check(["beef", "feed"], other.root)).toEqual(["absent", "absent"]);
  });

  test("a repository of SHA-256 names", async () => {
    const other = new Repository(git, newFolder(), "--object-format=sha256");
    const commit = other.commit("first");
    expect(commit).toHaveLength(64);
    expect(await check([commit, commit.slice(0, 40), commit.slice(0, 8), `${commit.slice(0, 63)}${commit.endsWith("0") ? "1" : "0"}`, first], other.root)).toEqual(["present", "present", "present", "absent", "absent"]);
  });

  test("a work tree with a file .git, a submodule and a bare repository", async () => {
    const worktree = join(newFolder(), "tree");
    repository.run("worktree", "add", "--quiet", "--detach", worktree);
    const parent = new Repository(git, newFolder());
    parent.run("submodule", "--quiet", "add", repository.root, "module");
    const bare = join(newFolder(), "bare.git");
    repository.run("clone", "--quiet", "--bare", repository.root, bare);
    for (const root of [worktree, join(parent.root, "module"), bare]) expect(await check([first, "deadbee"], root), root).toEqual(["present", "absent"]);
  });

  test("a shallow clone cannot say absent, nor can a work tree of it", async () => {
    const shallow = join(newFolder(), "shallow");
    repository.run("clone", "--quiet", "--depth=1", `file://${repository.root}`, shallow);
    expect(await check([second, first, "deadbee", "nonsense"], shallow)).toEqual(["present", "error", "error", "absent"]);
    const worktree = join(newFolder(), "tree");
    repository.run("-C", shallow, "worktree", "add", "--quiet", "--detach", worktree);
    expect(await check([second, first], worktree)).toEqual(["present", "error"]);
  });

  test("a partial clone cannot say absent and fetches nothing", async () => {
    const partial = join(newFolder(), "partial");
    repository.run("config", "uploadpack.allowFilter", "true");
    repository.run("clone", "--quiet", "--no-checkout", "--filter=tree:0", `file://${repository.root}`, partial);
    const marker = join(folder, `fetched-${count}`);
    repository.run("-C", partial, "config", "remote.origin.uploadpack", program(folder, "upload-pack", `touch '${marker}'; exit 1`));
    const tree = repository.run("rev-parse", `${second}^{tree}`);
    expect(await check([second, first, tree, tree.slice(0, 8), "deadbee"], partial)).toEqual(["present", "present", "error", "error", "error"]);
    expect(existsSync(marker)).toBe(false);
    expect(() => repository.run("-C", partial, "cat-file", "-t", tree)).toThrow();
    expect(existsSync(marker), "the trap works").toBe(true);
  });

  test("a repository's own programs do not run", async () => {
    const other = new Repository(git, newFolder());
    other.write("a.txt", "one\n");
    const commit = other.commit("first");
    const marker = join(folder, `ran-${count}`);
    const trap = program(folder, `trap-${count}`, `touch '${marker}'`);
    mkdirSync(join(other.root, ".git/hooks"), { recursive: true });
    for (const hook of ["post-index-change", "fsmonitor-watchman", "pre-auto-gc", "reference-transaction"]) linkSync(trap, join(other.root, ".git/hooks", hook));
    for (const [name, value] of Object.entries({
      "core.fsmonitor": trap, "core.hooksPath": join(other.root, ".git/hooks"), "core.pager": trap, "core.editor": trap, "core.askPass": trap, "core.sshCommand": trap, "diff.external": trap,
      "alias.cat-file": `!${trap}`, "alias.ls-files": `!${trap}`, "alias.rev-parse": `!${trap}`, "pager.ls-files": "true", "pager.cat-file": "true", "filter.x.clean": trap, "filter.x.smudge": trap, "credential.helper": `!${trap}`,
    })) other.run("config", name, value);
    other.write(".gitattributes", "* filter=x\n");
    other.write("a.txt", "changed\n");
    const before = readFileSync(join(other.root, ".git/index"));
    const deps = host(git);
    expect(await deps.commitsExist(other.root, [commit, "deadbee"])).toEqual(["present", "absent"]);
    expect(await deps.listFiles(other.root)).toEqual(expect.arrayContaining(["a.txt", ".gitattributes"]));
    expect(existsSync(marker)).toBe(false);
    expect(readFileSync(join(other.root, ".git/index")).equals(before)).toBe(true);
    other.run("status");
    expect(existsSync(marker), "the trap works").toBe(true);
  });

  test("variables of git do not lead to another repository", async () => {
    const other = new Repository(git, newFolder());
    const commit = other.commit("elsewhere");
    process.env.GIT_DIR = join(other.root, ".git");
    try {
      expect(await check([commit, first])).toEqual(["absent", "present"]);
    } finally {
      delete process.env.GIT_DIR;
    }
  });

  test("a commit made since the last question is found", async () => {
    const other = new Repository(git, newFolder());
    const deps = host(git);
    other.commit("one");
    expect(await deps.commitsExist(other.root, ["deadbee"])).toEqual(["absent"]);
    const commit = other.commit("two");
    other.run("gc", "--quiet");
    expect(await deps.commitsExist(other.root, [commit])).toEqual(["present"]);
  });

  test("questions at the same time are each answered, by one process", async () => {
    const deps = host(git);
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => deps.commitsExist(repository.root, n % 2 ? [first, "deadbee"] : ["deadbee", second, first])));
    answers.forEach((answer, n) => expect(answer).toEqual(n % 2 ? ["present", "absent"] : ["absent", "present", "present"]));
    expect(children().filter(({ name }) => name === "git")).toHaveLength(1);
  });

  test("2,000 names in one question", async () => {
    const names = Array.from({ length: 2000 }, (_, n) => (n % 100 === 0 ? first : createHash("sha1").update(`${n}`).digest("hex").slice(0, 12)));
    expect(await check(names)).toEqual(names.map((name) => (name === first ? "present" : "absent")));
  });

  test("a root that is no repository, or is not there, cannot answer", async () => {
    for (const root of [newFolder(), join(folder, "missing"), "", "relative/none"]) {
      expect(await check([first, "deadbee"], root), root).toEqual(["error", "error"]);
      expect(await host(git).listFiles(root), root).toBeNull();
    }
  });

  test("10,000 files are listed, with names that hold newlines, quotes, and any script", async () => {
    const other = new Repository(git, newFolder());
    const blob = other.feed("x", "hash-object", "-w", "--stdin");
    const odd = ["new\nline.txt", 'quote".txt', "back\\slash.txt", "é/漢😀.txt", " space ", "tab\t.c"];
    const paths = [...Array.from({ length: 10_000 }, (_, n) => `src/folder ${n % 100}/file-${n}.ts`), ...odd];
    other.feed(paths.map((path) => `100644 ${blob}\t${path}\0`).join(""), "update-index", "-z", "--index-info");
    expect(new Set(await host(git).listFiles(other.root))).toEqual(new Set(paths));
  });

  test("a listing has new files, but neither ignored ones nor those outside a root below the top", async () => {
    const other = new Repository(git, newFolder());
    for (const path of ["tracked.txt", "sub/tracked.txt", ".gitignore"]) other.write(path, "ignored.txt\n");
    other.commit("first");
    for (const path of ["new.txt", "sub/new 漢.txt", "ignored.txt"]) other.write(path, "");
    const nested = new Repository(git, join(other.root, "nested"));
    nested.write("inside.txt", "");
    nested.commit("inside");
    expect(new Set(await host(git).listFiles(other.root))).toEqual(new Set(["tracked.txt", "sub/tracked.txt", ".gitignore", "new.txt", "sub/new 漢.txt"]));
    expect(new Set(await host(git).listFiles(join(other.root, "sub")))).toEqual(new Set(["tracked.txt", "new 漢.txt"]));
  });

  test("a path in conflict is listed once", async () => {
    const other = new Repository(git, newFolder());
    const blob = other.feed("x", "hash-object", "-w", "--stdin");
    other.feed([1, 2, 3].map((stage) => `100644 ${blob} ${stage}\ta.txt\n`).join(""), "update-index", "--index-info");
    expect(await host(git).listFiles(other.root)).toEqual(["a.txt"]);
  });

  test("close() leaves no process and no zombie, and the host may be used again", async () => {
    const deps = host(git);
    await deps.commitsExist(repository.root, [first]);
    const pids = children().filter(({ name }) => name === "git").map(({ pid }) => pid);
    expect(pids).toHaveLength(1);
    const open = [deps.commitsExist(repository.root, [second]), deps.listFiles(repository.root)];
    await deps.close();
    await Promise.all(open);
    expect(children().filter(({ name }) => name === "git")).toEqual([]);
    expect(await deps.commitsExist(repository.root, [first])).toEqual(["present"]);
    await deps[Symbol.asyncDispose]();
    await deps.close();
    expect(children().filter(({ name }) => name === "git")).toEqual([]);
  });

  test("an idle process ends by itself, and one that was killed is started anew", async () => {
    const deps = host(git, { idleMs: 50 });
    expect(await deps.commitsExist(repository.root, [first])).toEqual(["present"]);
    await until(() => children().every(({ name }) => name !== "git"));
    const lasting = host(git);
    expect(await lasting.commitsExist(repository.root, [first])).toEqual(["present"]);
    for (const { pid } of children().filter(({ name }) => name === "git")) process.kill(pid, "SIGKILL");
    await until(() => children().every(({ name }) => name !== "git"));
    expect(await lasting.commitsExist(repository.root, [second])).toEqual(["present"]);
  });

  test("a program that never closes the host still ends, after its answer", () => {
    const script = `import { chatCitationDeps } from "agent-evidence/node";
      const deps = chatCitationDeps({ git: ${JSON.stringify(git)} });
      console.log(await deps.commitsExist(${JSON.stringify(repository.root)}, [${JSON.stringify(first)}]));`;
    const output = execFileSync(process.execPath, ["--input-type=module", "--eval", script], { cwd: import.meta.dirname, timeout: 8000 });
    expect(output.toString()).toContain("present");
  });
});

describe("a git that misbehaves", () => {
  const root = newFolder();
  for (const [name, script] of Object.entries({
    "hangs": "sleep 30",
    "hangs behind a child": "sleep 30 & wait",
    "ends at once": "exit 0",
    "fails": "echo fatal >&2; exit 128",
    "answers too much": "yes nonsense",
    "answers half a line and hangs": "printf 'abcdef'; sleep 30",
    "answers nonsense": "while read line; do echo 'é 漢 😀'; done",
    "kills itself": "kill -9 $$",
  })) {
    test(`${name}: no commit is present or absent, nothing stays behind`, async () => {
      const deps = host(program(folder, `git-${name.replaceAll(" ", "-")}`, script), { timeoutMs: 300 });
      expect(await deps.commitsExist(root, ["deadbee", "abcdef1"])).toEqual(["error", "error"]);
      const listed = await deps.listFiles(root);
      expect(listed === null || ["ends at once", "answers nonsense"].includes(name)).toBe(true);
      await deps.close();
      expect(children()).toEqual([]);
    });
  }

  test("one that is missing or no program", async () => {
    for (const git of [join(folder, "no-such-git"), folder, ""]) {
      const deps = host(git);
      expect(await deps.commitsExist(root, ["deadbee"]), git).toEqual(["error"]);
      expect(await deps.listFiles(root), git).toBeNull();
    }
  });
});

describe("files", () => {
  const base = newFolder();
  const [inside, other, outside] = ["inside", "other", "outside"].map((name) => join(base, name)) as [string, string, string];
  const roots = [inside, other];
  const deps = chatCitationDeps();
  beforeAll(() => {
    for (const root of [inside, other, outside]) write(root, "a.txt", `in ${root}\n`);
    write(inside, "sub/é 漢😀.txt", "é\r\n漢\n😀");
    write(inside, "..hidden/a.txt", "");
    symlinkSync(join(inside, "a.txt"), join(inside, "link-inside"));
    symlinkSync(join(other, "a.txt"), join(inside, "link-to-other-root"));
    symlinkSync(join(outside, "a.txt"), join(inside, "link-outside"));
    symlinkSync(outside, join(inside, "folder-outside"));
    symlinkSync("nowhere", join(inside, "link-nowhere"));
    symlinkSync("link-loop", join(inside, "link-loop"));
    symlinkSync(inside, join(base, "link-to-root"));
    execFileSync("mkfifo", [join(inside, "pipe")]);
  });

  test("a file in the roots exists, also through a link, a link to a root, and a new name", () => {
    for (const path of ["a.txt", "sub/é 漢😀.txt", "..hidden/a.txt", "link-inside", "link-to-other-root"]) expect(deps.fileExists(join(inside, path), roots), path).toBe(true);
    expect(deps.fileExists(join(base, "link-to-root", "a.txt"), [join(base, "link-to-root")])).toBe(true);
    expect(deps.fileExists(join(outside, "a.txt"))).toBe(true);
  });

  test("what is no file does not exist", () => {
    for (const path of ["missing", "sub", "a.txt/b", "link-nowhere", "link-loop", "pipe", "nul\0", "x".repeat(5000), ""]) {
      expect(deps.fileExists(`${inside}/${path}`, roots), path).toBe(false);
      expect(deps.readText(`${inside}/${path}`, roots), path).toBeNull();
    }
  });

  test("a file outside the roots is neither confirmed nor read", () => {
    for (const path of [join(outside, "a.txt"), `${inside}/../outside/a.txt`, join(inside, "link-outside"), join(inside, "folder-outside/a.txt")]) {
      expect(() => deps.fileExists(path, roots), path).toThrow("out of the roots");
      expect(deps.readText(path, roots), path).toBeNull();
      expect(deps.readLines(path, roots), path).toBeNull();
    }
    expect(() => deps.fileExists(join(other, "a.txt"), [inside])).toThrow("out of the roots");
    expect(() => deps.fileExists(join(other, "a.txt"), [join(base, "oth"), ""])).toThrow("out of the roots");
  });

  test("text is read whole, binary and huge files are not", () => {
    expect(deps.readText(join(inside, "sub/é 漢😀.txt"), roots)).toBe("é\r\n漢\n😀");
    expect(deps.readLines(join(inside, "sub/é 漢😀.txt"), roots)).toEqual(["é\r", "漢", "😀"]);
    write(inside, "empty", "");
    write(inside, "binary", "text\0more");
    write(inside, "latin", Uint8Array.of(0x61, 0xe9, 0x0a));
    write(inside, "most", "a".repeat(8 * 1024 * 1024));
    write(inside, "huge", "a".repeat(8 * 1024 * 1024 + 1));
    expect(deps.readText(join(inside, "empty"))).toBe("");
    expect(deps.readText(join(inside, "binary"))).toBeNull();
    expect(deps.readText(join(inside, "latin"))).toBe("a\uFFFD\n");
    expect(deps.readText(join(inside, "most"))).toHaveLength(8 * 1024 * 1024);
    expect(deps.readText(join(inside, "huge"))).toBeNull();
  });

  test("a file that does not say its size is read all the same", () => {
    expect(deps.readText("/proc/self/status")).toContain("Pid:");
  });
});

test("a wrong option is refused", () => {
  expect(() => chatCitationDeps({ git: 1 } as never)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT", details: { field: "options.git" } }));
  expect(() => chatCitationDeps({ timeoutMs: 0 })).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  expect(() => chatCitationDeps({ path: "git" } as never)).toThrow(expect.objectContaining({ code: "UNKNOWN_OPTION" }));
});
