/**
 * A CodeMirror editor as a custom element. It lives in a shadow root because CodeMirror then uses
 * constructed style sheets, which a strict content security policy allows.
 */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { EditorState, StateEffect, StateField, type Extension } from "@codemirror/state";
import { Decoration, EditorView, drawSelection, highlightSpecialChars, keymap, lineNumbers, type DecorationSet } from "@codemirror/view";

export interface EditorOptions {
  /** What a screen reader calls it. */
  label: string;
  text?: string;
  readOnly?: boolean;
  extensions?: Extension;
}

export class EvidenceEditor extends HTMLElement {
  view!: EditorView;

  /** Line numbers are shown in files; prose is read without. */
  static create({ label, text = "", readOnly = false, extensions = [] }: EditorOptions): EvidenceEditor {
    const element = document.createElement("evidence-editor") as EvidenceEditor;
    const root = element.attachShadow({ mode: "open" });
    element.view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: text,
        extensions: [
          highlightSpecialChars(),
          history(),
          drawSelection(),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
          readOnly ? [EditorState.readOnly.of(true), EditorView.editable.of(false), lineNumbers()] : [],
          highlightedLines,
          theme,
          extensions,
        ],
      }),
    });
    return element;
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  set text(text: string) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  /** Shows a text with some of its lines (from 1, inclusive) highlighted and in sight. */
  showLines(text: string, lines: readonly (readonly [first: number, last: number])[]): void {
    if (text !== this.text) this.text = text;
    const { doc } = this.view.state;
    const inside = lines.map(([first, last]) => [Math.max(1, first), Math.min(doc.lines, last)] as const).filter(([first, last]) => first <= last);
    this.view.dispatch({ effects: setHighlightedLines.of(inside) });
    // Scrolls this editor and nothing around it.
    const { view } = this;
    view.requestMeasure({
      read: () => view.lineBlockAt(doc.line(inside[0]?.[0] ?? 1).from).top - view.scrollDOM.clientHeight / 2,
      write: (top) => view.scrollDOM.scrollTo({ top }),
    });
  }
}
customElements.define("evidence-editor", EvidenceEditor);

const setHighlightedLines = StateEffect.define<readonly (readonly [number, number])[]>();
const highlightedLine = Decoration.line({ class: "cm-found" });
const highlightedLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(lines, transaction) {
    let next = lines.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setHighlightedLines)) continue;
      const starts = new Set<number>();
      for (const [first, last] of effect.value) for (let line = first; line <= last; line += 1) starts.add(transaction.newDoc.line(line).from);
      next = Decoration.set([...starts].sort((a, b) => a - b).map((start) => highlightedLine.range(start)));
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const mark = (status: string, line: string) => ({
  [`.cm-mark-${status}`]: { textDecorationLine: "underline", textDecorationStyle: line, textDecorationColor: `var(--${status})`, textDecorationThickness: "2px", textUnderlineOffset: "3px", backgroundColor: `var(--${status}-tint)`, borderRadius: "3px", cursor: "pointer" },
  [`.cm-mark-${status}::after`]: { content: '""', display: "inline-block", width: "0.95em", height: "0.95em", margin: "0 0.1em 0 0.25em", verticalAlign: "-0.13em", backgroundColor: `var(--${status})`, mask: `var(--shape-${status}) center / contain no-repeat` },
});

const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", fontSize: "14px" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.65", overflow: "auto" },
  ".cm-content": { padding: "10px 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 14px" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--muted)", border: "none" },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "var(--select)" },
  ".cm-found": { backgroundColor: "var(--select)", boxShadow: "inset 3px 0 0 var(--accent)" },
  ".cm-tooltip": { border: "1px solid var(--line)", backgroundColor: "var(--sheet)", color: "var(--ink)", borderRadius: "8px", padding: "7px 10px", maxWidth: "26rem", font: "13px/1.45 var(--sans)", boxShadow: "0 6px 20px rgb(10 14 20 / 0.18)", zIndex: 5 },
  ".cm-tooltip b": { textTransform: "capitalize" },
  ...mark("verified", "solid"),
  ...mark("corrected", "dashed"),
  ...mark("unverified", "wavy"),
  ...mark("unchecked", "dotted"),
});
