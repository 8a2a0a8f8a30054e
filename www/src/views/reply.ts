/** The reply: which of its references are true. */
import { html, nothing, render } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { ChangeSet } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { ChatCitationStatus } from "agent-evidence";
import { EvidenceEditor } from "../editor";
import { call } from "../engine";
import type { View } from "../main";
import { citationMarks, setMarks } from "../marks";
import { SAMPLE_REPLY, sampleProject } from "../sample";
import { acceptDrops, ownDataButtons, type OwnData } from "../sources";
import { STATUSES, announce, busyBar, icon, problemBox, settled, type Busy } from "../ui";
import type { ProjectSummary } from "../worker/project";
import type { CheckedItem, CheckedReply } from "../worker/reply";
import type { FolderSource } from "../worker/tree";

const MEANING: Record<ChatCitationStatus, string> = {
  verified: "there exactly as cited",
  corrected: "exists, but elsewhere",
  unverified: "looked for everywhere, not there",
  unchecked: "no claim either way",
};
/** A longer list is shown in part: reading on is a click. */
const LIST_STEP = 200;
const STREAM_TICK_MS = 30;
const STREAM_UNITS = 9;

export function replyView(): View {
  const element = document.createElement("section");
  element.className = "view";
  element.setAttribute("aria-labelledby", "reply-title");

  let project: ProjectSummary | undefined;
  let checked: CheckedReply = { items: [], spans: new Uint32Array(), milliseconds: 0 };
  let filter: ChatCitationStatus | undefined;
  let opened: { item: number; title: string; note: string } | undefined;
  let maxItems = 80;
  let budgetSeconds = 15;
  let listed = LIST_STEP;
  let busy: Busy | undefined;
  let problem: string | undefined;
  let streaming: { stop: boolean; seen: Set<number> } | undefined;
  /** Changes since the text that is being checked. */
  let since = ChangeSet.empty(0).desc;
  let running: AbortController | undefined;

  const check = settled(120, () => void runCheck());
  const editor = EvidenceEditor.create({
    label: "Reply",
    extensions: [
      citationMarks({ describe, open: (item) => void open(item) }),
      EditorView.updateListener.of(({ docChanged, changes }) => {
        if (!docChanged) return;
        since = since.composeDesc(changes.desc);
        void call("changeReply", { changes: changes.toJSON() });
        if (!streaming) check();
      }),
    ],
  });
  editor.classList.add("reply-text");
  const file = EvidenceEditor.create({ label: "File", readOnly: true });
  file.classList.add("file-text");

  const data: OwnData = {
    sample: () => void useSample(),
    text: { noun: "reply", accept: ".md,.txt,text/*", take: (text) => useText(text) },
    folder: (source) => void useFolder(source),
  };
  acceptDrops(element, data);

  function describe(item: number): HTMLElement | undefined {
    const found = checked.items[item];
    if (!found) return undefined;
    const note = document.createElement("div");
    render(html`<b>${found.status}</b>: ${found.note ?? MEANING[found.status]}${found.resolved ? html`<br>really <code>${found.resolved}</code>` : nothing}`, note);
    return note;
  }

  async function attempt(work: () => Promise<void>): Promise<void> {
    problem = undefined;
    try {
      await work();
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
    update();
  }

  const useSample = () =>
    attempt(async () => {
      project = await call("openProject", { source: await sampleProject() });
      useText(SAMPLE_REPLY);
    });

  const useFolder = (source: FolderSource) =>
    attempt(async () => {
      project = await call("openProject", { source });
      opened = undefined;
      announce(`Project ${project.name} is open.`);
      await runCheck();
    });

  function useText(text: string): void {
    if (streaming) streaming.stop = true;
    opened = undefined;
    listed = LIST_STEP;
    editor.text = text;
  }

  async function runCheck(): Promise<void> {
    running?.abort();
    const controller = (running = new AbortController());
    const mine: Busy = { cancel: () => controller.abort() };
    // Quick passes come and go unseen.
    const visible = setTimeout(() => {
      busy = mine;
      update();
    }, 250);
    since = ChangeSet.empty(editor.view.state.doc.length).desc;
    await attempt(async () => {
      const onProgress = (progress: Busy["progress"] & object) => {
        mine.progress = progress;
        update();
      };
      const result = await call("checkReply", { maxItems, budgetMs: budgetSeconds * 1000 }, { signal: controller.signal, onProgress });
      if (running !== controller) return;
      checked = result;
      showMarks();
      if (!opened) {
        const first = result.items.findIndex(({ status, place }) => status === "corrected" && place);
        if (first >= 0) await open(first);
      }
      if (!streaming) announce(counts().map(([status, count]) => `${count} ${status}`).join(", "));
    });
    clearTimeout(visible);
    if (busy === mine) busy = undefined;
    update();
  }

  function showMarks(): void {
    const settledOnly = streaming?.seen;
    const classes = checked.items.map(({ status, start }) => {
      if (settledOnly && !settledOnly.has(start ?? -1)) return "";
      return filter === undefined || filter === status ? `cm-mark-${status}` : "";
    });
    editor.view.dispatch({ effects: setMarks.of({ marks: { spans: checked.spans, classes }, since }) });
  }

  const counts = () => STATUSES.map((status) => [status, checked.items.filter((item) => item.status === status).length] as const);

  async function open(item: number): Promise<void> {
    const found = checked.items[item];
    if (!found) return;
    const { place } = found;
    const text = place ? await call("readProjectFile", { root: place.root, path: place.path }) : null;
    opened = { item, title: place?.path ?? found.raw, note: text === null ? `${found.status}: ${found.note ?? MEANING[found.status]}` : "" };
    if (text !== null) file.showLines(text, place?.lines ?? []);
    update();
  }

  async function replay(): Promise<void> {
    const text = editor.text;
    const mine = (streaming = { stop: false, seen: new Set<number>() });
    checked = { ...checked, items: [], spans: new Uint32Array() };
    editor.text = "";
    update();
    for (let from = 0; from < text.length && !mine.stop; ) {
      const delta = text.slice(from, (from += STREAM_UNITS));
      editor.view.dispatch({ changes: { from: editor.view.state.doc.length, insert: delta } });
      const found = await call("streamReply", { delta });
      for (const { start } of found) mine.seen.add(start ?? 0);
      if (found.length > 0) await runCheck();
      await new Promise((next) => setTimeout(next, STREAM_TICK_MS));
    }
    await call("streamReply", { delta: null });
    if (!mine.stop) {
      const { doc } = editor.view.state;
      editor.view.dispatch({ changes: { from: doc.length, insert: text.slice(doc.length) } });
    }
    streaming = undefined;
    await runCheck();
  }

  function update(): void {
    const total = checked.items.length;
    const shown = checked.items.map((item, index) => ({ item, index })).filter(({ item }) => filter === undefined || item.status === filter);
    const setFilter = (next: typeof filter) => () => {
      filter = next;
      listed = LIST_STEP;
      showMarks();
      update();
    };
    const row = ({ item, index }: { item: CheckedItem; index: number }) => html`<li>
      <button type="button" class="item ${item.status}" aria-current=${opened?.item === index} @click=${() => void open(index)}>
        <span class="icon" aria-hidden="true"></span>
        <span><code>${item.raw}</code>${item.resolved ? html` <span aria-label="really">→</span> <code>${item.resolved}</code>` : nothing}</span>
        <span class="verdict">${item.status}</span>
        ${item.note ? html`<span class="note">${item.note}</span>` : nothing}
      </button>
    </li>`;
    const numberField = (label: string, value: number, set: (value: number) => void) =>
      html`<label>${label}<input type="number" min="1" max="100000" .value=${String(value)} @change=${({ target }: Event) => {
        const input = target as HTMLInputElement;
        if (!input.reportValidity()) return;
        set(input.valueAsNumber);
        void runCheck();
      }}></label>`;

    render(
      html`<div class="view-head">
          <div>
            <h1 id="reply-title">Which references in this reply are true?</h1>
            <p class="lede">Every path, line, symbol and commit that the agent cites is looked up in the project. What could not be looked up is never called wrong.</p>
          </div>
          ${ownDataButtons(data)}
        </div>
        ${problemBox(problem)}
        <div class="row spread">
          <div class="counters" role="group" aria-label="Filter by verdict">
            <button type="button" aria-pressed=${filter === undefined} @click=${setFilter(undefined)}>All <b>${total}</b></button>
            ${counts().map(
              ([status, count]) =>
                html`<button type="button" class=${status} title=${MEANING[status]} aria-pressed=${filter === status} @click=${setFilter(status)}>${icon(status)}${status[0]?.toUpperCase()}${status.slice(1)} <b>${count}</b></button>`,
            )}
          </div>
          ${busyBar(busy)}
          <div class="row">${numberField("Look at most at", maxItems, (value) => (maxItems = value))}${numberField("Seconds", budgetSeconds, (value) => (budgetSeconds = value))}</div>
        </div>
        <div class="panes halves">
          <section class="panel" aria-labelledby="reply-text-title">
            <header>
              <h2 id="reply-text-title">The reply, yours to edit</h2>
              ${streaming
                ? html`<button type="button" @click=${() => { if (streaming) streaming.stop = true; }}>Stop</button>`
                : html`<button type="button" @click=${() => void replay()}>Replay as a stream</button>`}
            </header>
            ${editor}
            <p class="foot">Hover a mark or put the cursor in it to see why. A click or <kbd>Ctrl</kbd> <kbd>Enter</kbd> opens the file.</p>
          </section>
          <div class="stack">
            <section class="panel" aria-labelledby="citations-title">
              <header>
                <h2 id="citations-title">What was looked up</h2>
                <span class="muted">${project ? `in ${project.roots.map(({ name, hasGit }) => `${name}${hasGit ? "" : " (no .git)"}`).join(", ")} · ${Math.round(checked.milliseconds)} ms` : "no project is open"}</span>
              </header>
              <div class="scroll" tabindex="0" role="group" aria-label="Citations">
                ${shown.length === 0 ? html`<p class="empty">${total === 0 ? "Nothing in this text is a reference." : "None with this verdict."}</p>` : nothing}
                <ul class="items">${repeat(shown.slice(0, listed), ({ index }) => index, row)}</ul>
                ${shown.length > listed ? html`<p class="body"><button type="button" @click=${() => { listed += LIST_STEP; update(); }}>Show more of ${shown.length.toLocaleString("en")}</button></p>` : nothing}
              </div>
            </section>
            <section class="panel" aria-labelledby="file-title">
              <header><h2 id="file-title" class="mono">${opened?.title ?? "No file is open"}</h2></header>
              ${opened?.note ? html`<p class="empty">${opened.note}</p>` : nothing}
              <div ?hidden=${!opened || opened.note !== ""}>${file}</div>
            </section>
          </div>
        </div>`,
      element,
    );
  }

  update();
  void useSample();
  return { title: "Reply", element };
}
