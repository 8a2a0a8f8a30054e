/** Chunks shown at the edge of a document, and the cited passage in it. */
import { StateEffect, StateField, type Extension } from "@codemirror/state";
import { Decoration, EditorView, type DecorationSet } from "@codemirror/view";
import type { ChunkSpan } from "agent-evidence";

export const setChunks = StateEffect.define<readonly ChunkSpan[]>();
export const setCited = StateEffect.define<{ from: number; to: number; moved: boolean } | undefined>();

const chunks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, { changes, effects, newDoc }) {
    let next = shown.map(changes);
    for (const effect of effects) {
      if (!effect.is(setChunks)) continue;
      next = Decoration.set(
        effect.value.flatMap(({ chunkIndex, startChar, endChar }) => {
          const lines = [];
          for (let line = newDoc.lineAt(startChar); ; line = newDoc.line(line.number + 1)) {
            const first = line.from <= startChar;
            lines.push(Decoration.line({ class: `cm-chunk cm-chunk-${chunkIndex % 2}`, ...(first ? { attributes: { "data-chunk": String(chunkIndex) } } : {}) }).range(line.from));
            if (line.to >= endChar || line.number === newDoc.lines) return lines;
          }
        }),
        true,
      );
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const cited = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, { changes, effects }) {
    let next = shown.map(changes);
    for (const effect of effects) {
      if (!effect.is(setCited)) continue;
      const { value } = effect;
      next = value && value.from < value.to ? Decoration.set(Decoration.mark({ class: `cm-cited${value.moved ? " cm-cited-moved" : ""}` }).range(value.from, value.to)) : Decoration.none;
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

export const chunkMarks: Extension = [
  chunks,
  cited,
  EditorView.theme({
    ".cm-chunk": { position: "relative" },
    ".cm-chunk-0": { boxShadow: "inset 3px 0 0 var(--line)" },
    ".cm-chunk-1": { boxShadow: "inset 3px 0 0 var(--strong-line)" },
    ".cm-chunk[data-chunk]::after": { content: "attr(data-chunk)", position: "absolute", right: "6px", top: "0", color: "var(--muted)", fontSize: "11px", userSelect: "none" },
    ".cm-line.cm-chunk": { paddingRight: "30px" },
    ".cm-cited": { backgroundColor: "var(--verified-tint)", textDecoration: "underline solid var(--verified) 2px", textUnderlineOffset: "3px" },
    ".cm-cited-moved": { backgroundColor: "var(--corrected-tint)", textDecoration: "underline dashed var(--corrected) 2px" },
  }),
];
