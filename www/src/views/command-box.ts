/** Any command line, and how the gate reads it word by word. */
import { html, nothing, render, type TemplateResult } from "lit-html";
import type { CommandExplanation, ExplainedCommandWord } from "agent-evidence";
import { call } from "../engine";
import { settled } from "../ui";

const EXAMPLES = ["npm test && cargo clippy -- -D warnings", "set -o pipefail; pytest -x 2>&1 | tee log", "npm test || true", "sudo env CI=1 timeout -k 5 60 uv run pytest", "vitest --watch"];

export function commandBox(): HTMLElement {
  const element = document.createElement("section");
  element.className = "panel";
  element.setAttribute("aria-labelledby", "command-title");
  let command = EXAMPLES[0]!;
  let reading: CommandExplanation | undefined;

  const read = async () => {
    reading = await call("readCommand", { command });
    update();
  };
  const readSoon = settled(60, () => void read());
  const set = (next: string) => {
    command = next;
    update();
    readSoon();
  };

  function update(): void {
    render(
      html`<header><h2 id="command-title">Does this command prove anything?</h2></header>
        <div class="body stack">
          <label class="field">Command line<input class="mono" type="text" .value=${command} @input=${({ target }: Event) => set((target as HTMLInputElement).value)} spellcheck="false" autocomplete="off" autocapitalize="off"></label>
          <div role="status">${reading ? verdict(reading) : nothing}</div>
          ${reading ? html`<ol class="words" aria-label="Word by word">${reading.words.map(word)}</ol>` : nothing}
          <div class="row"><span class="muted">Try:</span>${EXAMPLES.map((example) => html`<button type="button" class="example mono" @click=${() => set(example)}>${example}</button>`)}</div>
        </div>`,
      element,
    );
  }

  update();
  void read();
  return element;
}

function verdict({ accepted, candidate, reason }: CommandExplanation): TemplateResult {
  const [status, words] = accepted ? ["verified", "Exit status 0 proves that a check passed"] : candidate ? ["unverified", "A check, but its exit status proves nothing"] : ["unchecked", "Not a check"];
  return html`<p class=${status}><span class="verdict wrap"><span class="icon" aria-hidden="true"></span>${words}</span></p>
    ${reason ? html`<p class="muted">${reason}</p>` : nothing}`;
}

function word({ text, role, decides }: ExplainedCommandWord): TemplateResult {
  return html`<li class="word ${decides ? "decides" : ""}"><code>${text}</code><span>${role}${decides ? html`<span class="unseen">, decides</span>` : nothing}</span></li>`;
}
