/** The gate: whether a check is still owed, at each point of a run. */
import { html, nothing, render, type TemplateResult } from "lit-html";
import { parseConversation } from "../conversation";
import { call } from "../engine";
import type { View } from "../main";
import { SAMPLE_EVENTS } from "../sample";
import { acceptDrops, ownDataButtons, type OwnData } from "../sources";
import { announce, problemBox } from "../ui";
import type { GateEvent, GateStep } from "../worker/gate";
import { commandBox } from "./command-box";

const PENDING = { initial: "be asked for a check", recheck: "be asked to check again", tamper: "be asked what changed in the checks" };

export function gateView(): View {
  const element = document.createElement("section");
  element.className = "view";
  element.setAttribute("aria-labelledby", "gate-title");
  let events: GateEvent[] = [];
  let steps: GateStep[] = [];
  let selected = 0;
  let problem: string | undefined;
  const command = commandBox();

  const data: OwnData = {
    sample: () => void use([...SAMPLE_EVENTS]),
    text: {
      noun: "conversation",
      accept: ".json,.jsonl",
      take: (text) => void useConversation(text),
    },
  };
  acceptDrops(element, data);

  async function useConversation(text: string): Promise<void> {
    try {
      await use(await call("gateEventsOf", { messages: parseConversation(text) }));
    } catch (error) {
      problem = (error as Error).message;
      update();
    }
  }

  async function use(next: GateEvent[], select = firstDemand): Promise<void> {
    problem = undefined;
    events = next;
    try {
      steps = await call("runGate", { events });
    } catch (error) {
      problem = (error as Error).message;
    }
    selected = select();
    update();
    element.querySelector(".strip [aria-current='true']")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    const step = steps[selected];
    if (step) announce(`${events.length} events. ${step.owed ? "A check is owed." : "Nothing is owed."}`);
  }

  /** What a newcomer should see first. */
  const firstDemand = () => Math.max(0, steps.findIndex(({ demand }) => demand));
  const add = (event: GateEvent) => use([...events, event], () => events.length - 1);

  function submitted(event: SubmitEvent): void {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const fields = new FormData(form);
    const value = String(fields.get("value")).trim();
    const kind = String(fields.get("kind"));
    if (kind === "stop") void add({ kind });
    else if (value === "" && kind !== "question") form.querySelector<HTMLInputElement>("[name=value]")?.focus();
    else if (kind === "question") void add({ kind, text: value || "A new question" });
    else if (kind === "edit") void add({ kind, path: value, added: "" });
    else void add({ kind: "check", command: value, passed: kind === "passed" });
  }

  function update(): void {
    const step = steps[selected];
    const event = events[selected];
    render(
      html`<div class="view-head">
          <div>
            <h1 id="gate-title">Is a check still owed?</h1>
            <p class="lede">An agent that changed code may say “done” only after a real check passed on the code as it is now. The gate keeps the books and answers a stop that comes too early.</p>
          </div>
          ${ownDataButtons(data)}
        </div>
        ${problemBox(problem)}
        <section class="panel" aria-labelledby="strip-title">
          <header><h2 id="strip-title">The run</h2><span class="muted">${events.length} events, oldest first</span></header>
          <ol class="strip" tabindex="0" aria-labelledby="strip-title">${events.map((each, index) => card(each, steps[index], index))}</ol>
          <form class="foot row" @submit=${submitted}>
            <label>Then<select name="kind">
              <option value="edit">an edit of</option>
              <option value="passed">this command passed</option>
              <option value="failed">this command failed</option>
              <option value="stop">the agent stops</option>
              <option value="question">a new question</option>
            </select></label>
            <input class="grow mono" type="text" name="value" aria-label="Path, command or question" placeholder="src/queue.ts or npm test" autocomplete="off" spellcheck="false">
            <button type="submit">Add</button>
            <button type="button" ?disabled=${events.length === 0} @click=${() => void use(events.slice(0, -1), () => Math.max(0, events.length - 1))}>Remove the last</button>
          </form>
        </section>
        <div class="panes halves">
          <section class="panel" aria-labelledby="books-title">
            <header><h2 id="books-title">The books after event ${selected + 1}</h2>${step ? debt(step) : nothing}</header>
            ${step && event ? books(event, step) : html`<p class="empty">No event yet.</p>`}
          </section>
          ${command}
        </div>`,
      element,
    );
  }

  function card(event: GateEvent, step: GateStep | undefined, index: number): TemplateResult {
    const { label, detail, kind } = wordsFor(event, step);
    return html`<li>
      <button type="button" class="event event-${kind}" aria-current=${index === selected} @click=${() => { selected = index; update(); }}>
        <span class="event-kind">${label}</span>
        <code>${detail}</code>
        ${step ? debt(step) : nothing}
      </button>
    </li>`;
  }

  function wordsFor(event: GateEvent, step: GateStep | undefined): { kind: string; label: string; detail: string } {
    if (event.kind === "question") return { kind: "question", label: "Question", detail: event.text };
    if (event.kind === "edit") return step?.passedOver ? { kind: "ignored", label: "Edit, no code", detail: event.path } : { kind: "edit", label: "Edit", detail: event.path };
    if (event.kind === "stop") return step?.demand ? { kind: "held", label: "Stop", detail: "answered with a demand" } : { kind: "stop", label: "Stop", detail: "let through" };
    if (step?.rejected !== undefined) return { kind: "ignored", label: "Proves nothing", detail: event.command };
    return event.passed ? { kind: "passed", label: "Check passed", detail: event.command } : { kind: "failed", label: "Check failed", detail: event.command };
  }

  function books(event: GateEvent, step: GateStep): TemplateResult {
    return html`<div class="body stack">
      ${step.demand
        ? html`<div><h3>The demand, as the agent reads it</h3><pre class="demand">${step.demand}</pre></div>`
        : event.kind === "stop"
          ? html`<p>This stop was let through${step.owed ? ": the demand had been made, and the debt stays on the books." : "."}</p>`
          : nothing}
      ${step.rejected ? html`<p><b>It does not count:</b> ${step.rejected}</p>` : nothing}
      <dl class="facts">
        <dt>Why</dt><dd>${step.problem ?? "Nothing is owed."}</dd>
        <dt>Changed since the last check</dt><dd>${step.files.length === 0 ? "nothing" : step.files.map((file) => html`<code>${file}</code> `)}</dd>
        <dt>Failures left</dt><dd>${step.failedChecks}</dd>
        <dt>Revision</dt><dd>${step.revision}</dd>
        <dt>A stop now would</dt><dd>${step.pending ? PENDING[step.pending] : "be let through"}</dd>
        ${step.suspects.length > 0 ? html`<dt>Checks that were touched</dt><dd>${step.suspects.map(({ filePath, reason }) => html`<div><code>${filePath}</code>: ${reason}</div>`)}</dd>` : nothing}
      </dl>
    </div>`;
  }

  update();
  data.sample();
  return { title: "Gate", element };
}

function debt({ owed }: GateStep): TemplateResult {
  return owed
    ? html`<span class="tag unverified"><span class="icon" aria-hidden="true"></span>owed</span>`
    : html`<span class="tag verified"><span class="icon" aria-hidden="true"></span>clear</span>`;
}
