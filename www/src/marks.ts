/** Citations marked in an editor. Only what is in sight is decorated, so a text of megabytes stays quick to type in. */
import { ChangeSet, Prec, StateEffect, StateField, type ChangeDesc, type EditorState, type Extension } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, hoverTooltip, keymap, showTooltip, type DecorationSet, type Tooltip, type ViewUpdate } from "@codemirror/view";

/** `[start, end, item]` triples in text order, and the class of each item's mark. */
export interface Marks {
  spans: Uint32Array;
  classes: readonly string[];
}

export interface MarkHandlers {
  /** Builds what hovering or the cursor shows for an item. */
  describe(item: number): HTMLElement | undefined;
  open(item: number): void;
}

const NO_MARKS: Marks = { spans: new Uint32Array(), classes: [] };

/** Replaces the marks; `since` are the changes made after the text that they were found in. */
export const setMarks = StateEffect.define<{ marks: Marks; since?: ChangeDesc }>();

interface Placed {
  marks: Marks;
  /** From the text the marks were found in to the text as it is. */
  changes: ChangeDesc;
}

const placed = StateField.define<Placed>({
  create: (state) => ({ marks: NO_MARKS, changes: ChangeSet.empty(state.doc.length) }),
  update(value, transaction) {
    let next = transaction.docChanged ? { ...value, changes: value.changes.composeDesc(transaction.changes.desc) } : value;
    for (const effect of transaction.effects) {
      if (effect.is(setMarks)) next = { marks: effect.value.marks, changes: effect.value.since ?? ChangeSet.empty(transaction.newDoc.length) };
    }
    return next;
  },
});

/** Visits the marks that touch a range of the text as it is now. */
function visit({ marks: { spans }, changes }: Placed, from: number, to: number, seen: (from: number, to: number, item: number) => void): void {
  const back = changes.invertedDesc;
  const [first, last] = [back.mapPos(from, -1), back.mapPos(to, 1)];
  let low = 0;
  let high = spans.length / 3;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle * 3 + 1]! < first) low = middle + 1;
    else high = middle;
  }
  for (let index = low * 3; index < spans.length && spans[index]! <= last; index += 3) {
    const [start, end] = [changes.mapPos(spans[index]!, 1), changes.mapPos(spans[index + 1]!, -1)];
    // A mark that was typed into no longer says what was checked.
    if (end - start === spans[index + 1]! - spans[index]!) seen(start, end, spans[index + 2]!);
  }
}

function markAt(state: EditorState, position: number): { from: number; to: number; item: number } | undefined {
  let found: { from: number; to: number; item: number } | undefined;
  visit(state.field(placed), position, position, (from, to, item) => {
    if (from <= position && position <= to) found = { from, to, item };
  });
  return found;
}

export function citationMarks({ describe, open }: MarkHandlers): Extension {
  const tooltip = (state: EditorState, position: number): Tooltip | null => {
    const mark = markAt(state, position);
    const dom = mark && describe(mark.item);
    return dom ? { pos: mark.from, end: mark.to, create: () => ({ dom }) } : null;
  };
  const decorations = ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = this.inSight(view);
      }
      update(update: ViewUpdate): void {
        if (update.docChanged || update.viewportChanged || update.startState.field(placed) !== update.state.field(placed)) this.decorations = this.inSight(update.view);
      }
      inSight(view: EditorView): DecorationSet {
        const state = view.state.field(placed);
        const ranges: ReturnType<Decoration["range"]>[] = [];
        for (const { from, to } of view.visibleRanges) {
          visit(state, from, to, (start, end, item) => {
            ranges.push(Decoration.mark({ class: state.marks.classes[item] ?? "", attributes: { "data-item": String(item) } }).range(start, end));
          });
        }
        return Decoration.set(ranges, true);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
  const atCursor = StateField.define<Tooltip | null>({
    create: () => null,
    update(shown, transaction) {
      const moved = transaction.selection !== undefined || transaction.effects.some((effect) => effect.is(setMarks));
      if (!moved && !transaction.docChanged) return shown;
      const { main } = transaction.state.selection;
      return main.empty && transaction.selection !== undefined && !transaction.docChanged ? tooltip(transaction.state, main.head) : null;
    },
    provide: (field) => showTooltip.from(field),
  });
  const openAtCursor = (view: EditorView): boolean => {
    const mark = markAt(view.state, view.state.selection.main.head);
    if (mark) open(mark.item);
    return mark !== undefined;
  };
  return [
    placed,
    decorations,
    atCursor,
    hoverTooltip((view, position) => tooltip(view.state, position), { hoverTime: 120 }),
    // Before the editor's own meaning of the key.
    Prec.high(keymap.of([{ key: "Mod-Enter", run: openAtCursor }])),
    EditorView.domEventHandlers({
      click(event) {
        const item = (event.target as HTMLElement).closest<HTMLElement>("[data-item]")?.dataset["item"];
        if (item !== undefined) open(Number(item));
      },
    }),
  ];
}
