/** The session: which file bodies a conversation can still vouch for. */
import { html, nothing, render, type TemplateResult } from "lit-html";
import { parseConversation } from "../conversation";
import { EvidenceEditor } from "../editor";
import { call } from "../engine";
import type { View } from "../main";
import { SAMPLE_SESSION } from "../sample";
import { acceptDrops, ownDataButtons, type OwnData } from "../sources";
import { announce, busyBar, problemBox, type Busy } from "../ui";
import type { SessionEvent, SessionFile, SessionReading } from "../worker/session";

/** A long timeline is shown in part: reading on is a click. */
const STEP = 300;

export function sessionView(): View {
  const element = document.createElement("section");
  element.className = "view";
  element.setAttribute("aria-labelledby", "session-title");
  let reading: SessionReading = { files: [], events: [] };
  let chosen: string | undefined;
  let onlyChosen = false;
  let listed = STEP;
  let busy: Busy | undefined;
  let problem: string | undefined;
  const body = EvidenceEditor.create({ label: "Body of the file", readOnly: true });
  body.classList.add("body-text");

  const data: OwnData = {
    sample: () => void use(SAMPLE_SESSION),
    text: { noun: "conversation", accept: ".json,.jsonl", take: (text) => void use(text) },
  };
  acceptDrops(element, data);

  async function use(text: string): Promise<void> {
    problem = undefined;
    busy = {
      cancel() {
        busy = undefined;
        update();
      },
    };
    const mine = busy;
    update();
    try {
      const messages = parseConversation(text);
      const next = await call("readSession", { messages });
      // Cancelled or overtaken: what was there stays.
      if (busy !== mine) return;
      reading = next;
      listed = STEP;
      onlyChosen = false;
      choose(reading.files.find(({ body }) => body !== undefined)?.path ?? reading.files[0]?.path);
      const vouched = reading.files.filter(({ body }) => body !== undefined).length;
      announce(`${vouched} of ${reading.files.length} files are vouched for.`);
    } catch (error) {
      problem = (error as Error).message;
    }
    if (busy === mine) busy = undefined;
    update();
  }

  function choose(path: string | undefined): void {
    chosen = path;
    const file = reading.files.find((each) => each.path === path);
    if (file?.body !== undefined) body.showLines(file.body, file.lastEdit ? [file.lastEdit] : []);
    update();
  }

  function update(): void {
    const file = reading.files.find(({ path }) => path === chosen);
    const events = reading.events.filter(({ path }) => !onlyChosen || path === chosen);
    render(
      html`<div class="view-head">
          <div>
            <h1 id="session-title">Which file bodies can this conversation vouch for?</h1>
            <p class="lede">A body counts only when every write, edit and read that made it is there with its receipt. One gap, and the file is withdrawn: it is never guessed.</p>
          </div>
          ${ownDataButtons(data)}
        </div>
        ${problemBox(problem ?? reading.stopped)} ${busyBar(busy)}
        <div class="panes session">
          <section class="panel" aria-labelledby="files-title">
            <header><h2 id="files-title">Files</h2><span class="muted">${reading.files.filter(({ body }) => body !== undefined).length} of ${reading.files.length} vouched for</span></header>
            ${reading.files.length === 0 ? html`<p class="empty">No file was touched.</p>` : nothing}
            <ul class="items">${reading.files.map(fileRow)}</ul>
          </section>
          <section class="panel" aria-labelledby="timeline-title">
            <header>
              <h2 id="timeline-title">Timeline</h2>
              <label><input type="checkbox" .checked=${onlyChosen} @change=${({ target }: Event) => { onlyChosen = (target as HTMLInputElement).checked; update(); }}> Only this file</label>
            </header>
            <ol class="timeline" tabindex="0" aria-labelledby="timeline-title">${events.slice(0, listed).map(eventRow)}</ol>
            ${events.length > listed ? html`<p class="body"><button type="button" @click=${() => { listed += STEP; update(); }}>Show more of ${events.length}</button></p>` : nothing}
          </section>
          <section class="panel" aria-labelledby="body-title">
            <header><h2 id="body-title" class="mono">${file?.path ?? "No file"}</h2>${file?.lastEdit ? html`<span class="muted">last edit highlighted</span>` : nothing}</header>
            ${file && file.body === undefined ? html`<p class="empty"><b>Withdrawn.</b> ${file.reason}</p>` : nothing}
            ${file?.shellSince ? html`<p class="caution">A shell command ran after this body was made: it may have changed the file.</p>` : nothing}
            <div ?hidden=${file?.body === undefined}>${body}</div>
          </section>
        </div>`,
      element,
    );
  }

  function fileRow(file: SessionFile): TemplateResult {
    const status = file.body === undefined ? "unverified" : file.shellSince ? "corrected" : "verified";
    const words = file.body === undefined ? "withdrawn" : file.shellSince ? "vouched, but a shell ran" : "vouched for";
    return html`<li>
      <button type="button" class="item ${status}" aria-current=${file.path === chosen} @click=${() => choose(file.path)}>
        <span class="icon" aria-hidden="true"></span><code>${file.path}</code>
        <span class="note"><b>${words}</b>${file.reason ? html`: ${file.reason}` : nothing}</span>
      </button>
    </li>`;
  }

  function eventRow({ tool, path, callId, did, outcome, note, receipt }: SessionEvent): TemplateResult {
    return html`<li class="moment ${outcome} ${path === chosen ? "of-chosen" : ""}">
      <span class="moment-kind">${tool}</span>
      <span><code>${path}</code> <span class="muted">${callId}</span><br>
        <span class="verdict wrap"><span class="icon" aria-hidden="true"></span>${did}${note ? `: ${note}` : nothing}</span><br>
        <span class="muted">receipt: ${receipt}</span></span>
    </li>`;
  }

  update();
  data.sample();
  return { title: "Session", element };
}
