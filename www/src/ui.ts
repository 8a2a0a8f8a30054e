/** Small pieces that several views share. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { ChatCitationStatus } from "agent-evidence";
import type { Progress } from "./worker/pace";

export const STATUSES: readonly ChatCitationStatus[] = ["verified", "corrected", "unverified", "unchecked"];

/** A verdict's shape in its colour; the word beside it is the caller's. */
export function icon(status: string): TemplateResult {
  return html`<span class="icon ${status}" aria-hidden="true"></span>`;
}

/** Says something to a screen reader without moving the focus. */
export function announce(text: string): void {
  const announcer = document.querySelector("#announcer");
  if (announcer) announcer.textContent = text;
}

/** Work in hand: how far it is, and a way to stop it. */
export interface Busy {
  progress?: Progress;
  cancel(): void;
}

export function busyBar(busy: Busy | undefined): TemplateResult | typeof nothing {
  if (!busy) return nothing;
  const words = busy.progress ? `${busy.progress.done.toLocaleString("en")} ${busy.progress.unit}` : "working";
  return html`<span class="busy"><progress aria-label="In progress"></progress>${words}<button type="button" @click=${busy.cancel}>Cancel</button></span>`;
}

export function problemBox(problem: string | undefined): TemplateResult | typeof nothing {
  return problem === undefined ? nothing : html`<p class="problem" role="alert">${problem}</p>`;
}

/** Waits until nothing has been asked for `milliseconds`, then runs once. */
export function settled(milliseconds: number, run: () => void): () => void {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = window.setTimeout(run, milliseconds);
  };
}
