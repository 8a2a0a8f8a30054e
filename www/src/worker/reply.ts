/** The reply in the editor, the project it speaks of, and the verdicts. */
import { ChangeSet, Text } from "@codemirror/state";
import { CitationStream, extractCitations, markCitations, verifyCitations, type ChatCitationItem, type ChatCitationsResult, type CitationRoot, type RawCitation } from "agent-evidence";
import type { Pace } from "./pace";
import { Project, type ProjectSummary } from "./project";
import { openTree, type FolderSource } from "./tree";

/** Where a citation really is, for a reader who wants to look. */
export interface Place {
  root: string;
  path: string;
  lines: [first: number, last: number][];
}

export interface CheckedItem extends ChatCitationItem {
  place?: Place;
}

export interface CheckedReply {
  items: CheckedItem[];
  /** `[start, end, item]` triples: every occurrence, in text order. */
  spans: Uint32Array;
  milliseconds: number;
}

let project: Project | undefined;
let text = Text.empty;
let stream: CitationStream | undefined;

export async function openProject({ source }: { source: FolderSource }): Promise<ProjectSummary> {
  project = await Project.open(source);
  return project.summary;
}

export async function readProjectFile({ root, path }: { root: string; path: string }): Promise<string | null> {
  return (await project?.text(root, path)) ?? null;
}

/** The editor sends what changed, not the whole text. */
export function changeReply({ changes }: { changes: unknown }): void {
  text = ChangeSet.fromJSON(changes).apply(text);
}

export async function checkReply({ maxItems, budgetMs }: { maxItems: number; budgetMs: number }, pace: Pace): Promise<CheckedReply> {
  if (!project) throw new Error("No project is open: open a folder or a zip.");
  const reply = text.toString();
  const { roots } = project;
  const started = performance.now();
  let done = 0;
  // A cancelled pass has run out of time: the rest is unchecked, never wrong.
  const now = () => (pace.cancelled ? Number.MAX_SAFE_INTEGER : performance.now());
  const deps = project.deps(now, () => pace.step({ unit: "look-ups", done: (done += 1) }));
  const result = await verifyCitations(reply, roots, deps, { maxItems, budgetMs });
  const written = new Map(extractCitations(reply, roots).map((citation) => [citation.start, citation]));
  const items = result.items.map((item): CheckedItem => {
    const place = placeOf(item, written.get(item.start ?? -1), roots);
    return place ? { ...item, place } : item;
  });
  return { items, spans: spansOf(reply, result, items), milliseconds: performance.now() - started };
}

function placeOf(item: ChatCitationItem, written: RawCitation | undefined, roots: readonly CitationRoot[]): Place | undefined {
  const { root, file: path } = item;
  if (root === undefined || path === undefined) return undefined;
  const [corrected] = item.status === "corrected" && item.resolved ? extractCitations(`\`${item.resolved}\``, roots) : [];
  const { line, endLine, lines } = corrected?.line ? corrected : (written ?? {});
  return { root, path, lines: lines ?? (line ? [[line, endLine ?? line]] : []) };
}

/** Starts, feeds or ends a stream; answers with the citations that can no longer change. */
export function streamReply({ delta }: { delta: string | null }): RawCitation[] {
  stream ??= new CitationStream(project?.roots ?? []);
  if (delta !== null) return stream.feed(delta);
  const rest = stream.finish();
  stream = undefined;
  return rest;
}

/** One file out of a folder that is not opened as the project. */
export async function readFileOf({ source, path }: { source: FolderSource; path: string }): Promise<string> {
  const blob = await (await openTree(source)).blob(path);
  if (!blob) throw new Error(`${path} is not in it.`);
  return blob.text();
}

function spansOf(reply: string, result: ChatCitationsResult, items: readonly CheckedItem[]): Uint32Array {
  const indexes = new Map(result.items.map((item, index) => [item, index]));
  const spans: number[] = [];
  for (const { start, end, citation } of markCitations(reply, result)) {
    if (citation) spans.push(start, end, indexes.get(citation) ?? items.length);
  }
  return Uint32Array.from(spans);
}
