/** The transcript: what was said, what of it held, and what the file has lost. */
import { html, nothing, render, type TemplateResult } from "lit-html";
import { call } from "../engine";
import type { View } from "../main";
import { SAMPLE_TRANSCRIPT } from "../sample";
import { acceptDrops, ownDataButtons, type OwnData } from "../sources";
import { STATUSES, announce, icon, problemBox } from "../ui";
import type { Damage, ReplyTurn, TranscriptReading, Turn } from "../worker/transcript";

/** A long transcript is shown in part: reading on is a click. */
const STEP = 100;

export function transcriptView(): View {
  const element = document.createElement("section");
  element.className = "view";
  element.setAttribute("aria-labelledby", "transcript-title");
  let reading: TranscriptReading = { turns: [], damage: [], damagedPlaces: 0, records: 0 };
  let listed = STEP;
  let problem: string | undefined;

  const data: OwnData = {
    sample: () => void use(SAMPLE_TRANSCRIPT),
    text: { noun: "transcript", accept: ".jsonl", take: (text) => void use(text) },
  };
  acceptDrops(element, data);

  async function use(text: string): Promise<void> {
    problem = undefined;
    try {
      reading = await call("readTranscript", { text });
      listed = STEP;
      announce(`${reading.records} records, ${reading.damagedPlaces} places skipped.`);
    } catch (error) {
      problem = (error as Error).message;
    }
    update();
  }

  function update(): void {
    const { turns, damage, damagedPlaces, records } = reading;
    render(
      html`<div class="view-head">
          <div>
            <h1 id="transcript-title">What was said, and what of it held?</h1>
            <p class="lede">Records are folded for a reader: verdicts on the replies they judge, decisions on the turn that made them. What the file has lost is shown where it was lost.</p>
          </div>
          ${ownDataButtons(data)}
        </div>
        ${problemBox(problem)}
        <div class="panes transcript">
          <section class="stack" aria-label="Conversation">
            ${turns.length === 0 ? html`<p class="empty">There is no record in it.</p>` : nothing}
            ${turns.slice(0, listed).map(turnBox)}
            ${turns.length > listed ? html`<p><button type="button" @click=${() => { listed += STEP; update(); }}>Show more of ${turns.length}</button></p>` : nothing}
          </section>
          <section class="panel" aria-labelledby="damage-title">
            <header><h2 id="damage-title">The file</h2><span class="muted">${records} records</span></header>
            ${damagedPlaces === 0
              ? html`<p class="empty verified"><span class="verdict"><span class="icon" aria-hidden="true"></span>Every line was read.</span></p>`
              : html`<p class="empty">${damagedPlaces === 1 ? "One place was" : `${damagedPlaces} places were`} skipped. Nothing in them was guessed at.</p><ul class="items">${damage.map(damageRow)}</ul>`}
          </section>
        </div>`,
      element,
    );
  }

  update();
  data.sample();
  return { title: "Transcript", element };
}

function when(at: number | undefined): TemplateResult | typeof nothing {
  if (at === undefined || !Number.isFinite(at) || Math.abs(at) > 8.64e15) return nothing;
  const date = new Date(at);
  return html`<time datetime=${date.toISOString()}>${date.toISOString().slice(0, 16).replace("T", " ")}</time>`;
}

function turnBox({ turnId, system, question, at, decisions, replies, lostReplies }: Turn): TemplateResult {
  return html`<article class="panel turn" aria-label="Turn ${turnId}">
    <header><h2>Turn ${turnId}</h2><span class="muted">${when(at)}</span></header>
    <div class="body stack">
      ${system.map((text) => html`<p class="muted"><span class="tag">told to the seats</span> ${text}</p>`)}
      ${question === undefined ? html`<p class="muted">The question is not in the file.</p>` : html`<p class="question">${question}</p>`}
      ${decisions.map((decision) => html`<p><span class="tag">decision</span> ${decision}</p>`)}
      ${replies.map(replyBox)}
      ${lostReplies.map((seat) => html`<p class="muted">There are verdicts on a reply of <b>${seat}</b> that is not in the file.</p>`)}
    </div>
  </article>`;
}

function replyBox({ seat, ok, text, verdicts, usage }: ReplyTurn): TemplateResult {
  return html`<div class="seat">
    <p class="row"><b>${seat}</b>${ok ? nothing : html`<span class="tag unverified"><span class="icon" aria-hidden="true"></span>failed</span>`}
      ${verdicts ? STATUSES.map((status) => (verdicts.counts[status] > 0 ? html`<span class="tag ${status}"><span class="icon" aria-hidden="true"></span>${verdicts.counts[status]} ${status}</span>` : nothing)) : html`<span class="muted">no verdicts on file</span>`}
      ${usage ? html`<span class="muted">${usage}</span>` : nothing}</p>
    <p class="said">${verdicts ? verdicts.segments.map(({ text, status, note }) => (status ? html`<span class="said-mark ${status}" title=${note ?? status}>${text}${icon(status)}<span class="unseen"> (${status}${note ? `: ${note}` : ""})</span></span>` : text)) : text}</p>
  </div>`;
}

function damageRow({ line, what, bytes }: Damage): TemplateResult {
  return html`<li class="item unverified"><span class="icon" aria-hidden="true"></span><span>Line ${line}</span><span class="muted">${bytes} bytes</span><span class="note">${what}</span></li>`;
}
