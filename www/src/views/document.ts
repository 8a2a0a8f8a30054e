/** The document: a passage, its anchor, quote and link, and what becomes of them when the text changes. */
import { html, nothing, render, type TemplateResult } from "lit-html";
import { EditorView } from "@codemirror/view";
import { setChunks, chunkMarks, setCited } from "../chunks";
import { FramedCopy } from "../copy";
import { EvidenceEditor } from "../editor";
import { call } from "../engine";
import type { View } from "../main";
import { sampleDocument } from "../sample";
import { acceptDrops, ownDataButtons, type OwnData } from "../sources";
import { announce, problemBox, settled } from "../ui";
import type { Followed, Passage } from "../worker/document";

export function documentView(): View {
  const element = document.createElement("section");
  element.className = "view";
  element.setAttribute("aria-labelledby", "document-title");
  let name = "";
  let chunkCount = 0;
  let passage: Passage | undefined;
  let followed: Followed | undefined;
  let shown: boolean | undefined;
  let problem: string | undefined;
  const copy = new FramedCopy();

  const editor = EvidenceEditor.create({
    label: "Document",
    extensions: [
      chunkMarks,
      EditorView.updateListener.of(({ docChanged }) => {
        if (docChanged) changed();
      }),
    ],
  });
  editor.classList.add("reply-text");
  const changed = settled(150, () => void attempt(follow));

  const data: OwnData = {
    sample: () =>
      void attempt(async () => {
        const { name, text } = await sampleDocument();
        await use(text, name);
        const start = text.indexOf("After five attempts");
        await cite(start, text.indexOf("\n", start));
      }),
    text: { noun: "document", accept: ".md,.markdown,.txt,text/*", take: (text, name) => void attempt(() => use(text, name)) },
  };
  acceptDrops(element, data);

  async function attempt(work: () => Promise<void>): Promise<void> {
    problem = undefined;
    try {
      await work();
    } catch (error) {
      problem = (error as Error).message;
    }
    update();
  }

  async function use(text: string, title: string): Promise<void> {
    name = title;
    passage = followed = shown = undefined;
    editor.text = text;
    editor.view.dispatch({ effects: setCited.of(undefined) });
    await follow();
    const [first] = await call("chunksOf", { text });
    if (first) await cite(first.startChar, first.endChar);
  }

  async function cite(from: number, to: number): Promise<void> {
    const { text } = editor;
    passage = await call("citePassage", { text, from, to });
    await follow();
    announce("The passage is cited.");
  }

  function citeSelection(): void {
    const { from, to } = editor.view.state.selection.main;
    if (from === to) {
      problem = "Select the passage first: with the mouse, or with Shift and the arrow keys.";
      update();
    } else void attempt(() => cite(from, to));
  }

  /** Asks where the cited passage is in the text as it is now, and shows it there. */
  async function follow(): Promise<void> {
    const { text } = editor;
    const spans = await call("chunksOf", { text });
    chunkCount = spans.length;
    followed = passage && (await call("followPassage", { text, name, anchor: passage.anchor }));
    editor.view.dispatch({ effects: [setChunks.of(spans), setCited.of(followed?.span && { ...followed.span, moved: followed.stale })] });
    shown = followed?.fragment ? await copy.show(text, name, followed.fragment) : undefined;
    update();
  }

  /** Changes to try with one click. */
  function edit(kind: "above" | "reword" | "delete"): void {
    const span = followed?.span;
    if (!span) return;
    const words = editor.text.slice(span.from, span.to);
    const middle = words.indexOf(" ", words.length / 2);
    const changes =
      kind === "above"
        ? { from: 0, insert: "> Added above: every offset below has moved.\n\n" }
        : kind === "delete"
          ? { from: span.from, to: span.to }
          : { from: span.from + middle, insert: " (at the latest)" };
    editor.view.dispatch({ changes });
  }

  function update(): void {
    render(
      html`<div class="view-head">
          <div>
            <h1 id="document-title">Does the quote still stand where the link points?</h1>
            <p class="lede">An anchor binds a passage to the version it was cut from. When the text changes the anchor goes stale, and the passage is found again by its words, or said to be gone: never by its offset alone.</p>
          </div>
          ${ownDataButtons(data)}
        </div>
        ${problemBox(problem)}
        <div class="panes halves">
          <section class="panel" aria-labelledby="document-text-title">
            <header>
              <h2 id="document-text-title">${name || "The document"}, yours to edit</h2><span class="muted">${chunkCount} chunks</span>
              <button type="button" class="primary" @click=${citeSelection}>Cite the selection</button>
            </header>
            ${editor}
            <div class="foot row"><span>Try an edit:</span>
              <button type="button" ?disabled=${!followed?.span} @click=${() => edit("above")}>Add a paragraph above</button>
              <button type="button" ?disabled=${!followed?.span} @click=${() => edit("reword")}>Reword the passage</button>
              <button type="button" ?disabled=${!followed?.span} @click=${() => edit("delete")}>Delete the passage</button>
            </div>
          </section>
          <div class="stack">
            <section class="panel" aria-labelledby="passage-title">
              <header><h2 id="passage-title">The cited passage</h2>${followed ? state(followed) : nothing}</header>
              ${passage && followed ? facts(passage, followed) : html`<p class="empty">Select a passage in the document and cite it.</p>`}
            </section>
            <section class="panel" aria-labelledby="copy-title">
              <header>
                <h2 id="copy-title">Where the link lands</h2>
                ${shown === false ? html`<span class="muted">the words are not in the copy</span>` : nothing}
                ${followed?.fragment ? html`<a href=${copy.addressWith(followed.fragment)} target="_blank">Let your browser follow it</a>` : nothing}
              </header>
              ${copy.element}
            </section>
          </div>
        </div>`,
      element,
    );
  }

  update();
  data.sample();
  return { title: "Document", element };
}

function state({ stale, span }: Followed): TemplateResult {
  if (!stale) return html`<span class="tag verified"><span class="icon" aria-hidden="true"></span>current</span>`;
  return span
    ? html`<span class="tag corrected"><span class="icon" aria-hidden="true"></span>stale, found again</span>`
    : html`<span class="tag unverified"><span class="icon" aria-hidden="true"></span>stale, and gone</span>`;
}

function facts({ anchor }: Passage, followed: Followed): TemplateResult {
  const fact = (name: string, value: unknown) => html`<dt>${name}</dt><dd>${value}</dd>`;
  return html`<div class="body stack">
    <blockquote class="quote">${followed.quote}</blockquote>
    <dl class="facts">
      ${fact("Anchor", html`<code>${anchor}</code>${followed.stale ? html` <span class="muted">of the version that was cited</span>` : nothing}`)}
      ${followed.stale && followed.span ? fact("Anchor now", html`<code>${followed.anchor}</code> <span class="muted">${followed.how}</span>`) : nothing}
      ${followed.stale && !followed.span ? fact("Why", followed.how ?? "The words are no longer in the document, so there is no link.") : nothing}
      ${followed.url ? fact("Link", html`<code class="link">${followed.url}</code>`) : nothing}
    </dl>
  </div>`;
}
