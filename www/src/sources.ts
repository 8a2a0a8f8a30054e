/** The visitor's own data: opened, dropped or pasted, and kept in this tab. */
import { html, nothing, render, type TemplateResult } from "lit-html";
import type { FolderSource } from "./worker/tree";

export interface TextSource {
  /** Such as "conversation": completes "Open a …". */
  noun: string;
  accept: string;
  take(text: string, name: string): void;
}

export interface OwnData {
  sample(): void;
  text?: TextSource;
  folder?(source: FolderSource): void;
}

/** The buttons that bring own data in, or the sample back. */
export function ownDataButtons(data: OwnData): TemplateResult {
  const { text, folder } = data;
  return html`<div class="row" role="group" aria-label="Data">
    <button type="button" @click=${data.sample}>Use the sample</button>
    ${text
      ? html`<button type="button" @click=${() => pickFile(text.accept, async (file) => text.take(await file.text(), file.name))}>Open a ${text.noun}…</button>
          <button type="button" @click=${() => paste(text)}>Paste a ${text.noun}…</button>`
      : nothing}
    ${folder
      ? html`<button type="button" @click=${() => void pickFolder(folder)}>Open a folder…</button>
          <button type="button" @click=${() => pickFile(".zip,application/zip", (zip) => folder({ kind: "zip", name: zip.name, zip }))}>Open a zip…</button>`
      : nothing}
  </div>`;
}

/** Takes what is dropped anywhere on a view. */
export function acceptDrops(element: HTMLElement, { text, folder }: OwnData): void {
  const hover = (over: boolean) => (event: DragEvent) => {
    event.preventDefault();
    element.classList.toggle("drop-here", over);
  };
  element.addEventListener("dragover", hover(true));
  element.addEventListener("dragleave", hover(false));
  element.addEventListener("drop", (event) => {
    hover(false)(event);
    void dropped(event.dataTransfer, text, folder);
  });
}

async function dropped(transfer: DataTransfer | null, text: OwnData["text"], folder: OwnData["folder"]): Promise<void> {
  const item = [...(transfer?.items ?? [])].find(({ kind }) => kind === "file");
  if (!item) return;
  const file = item.getAsFile();
  const entry = item.webkitGetAsEntry?.();
  if (entry?.isDirectory) {
    const files: [string, File][] = [];
    await collect(entry as FileSystemDirectoryEntry, `${entry.name}/`, files);
    folder?.({ kind: "files", files });
  } else if (file && folder && /\.zip$/i.test(file.name)) folder({ kind: "zip", name: file.name, zip: file });
  else if (file) text?.take(await file.text(), file.name);
}

async function collect(directory: FileSystemDirectoryEntry, prefix: string, files: [string, File][]): Promise<void> {
  const reader = directory.createReader();
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return;
    for (const entry of entries) {
      if (entry.isDirectory) await collect(entry as FileSystemDirectoryEntry, `${prefix}${entry.name}/`, files);
      else files.push([`${prefix}${entry.name}`, await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))]);
    }
  }
}

function pickFile(accept: string, take: (file: File) => void): void {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = accept;
  input.addEventListener("change", () => {
    const [file] = input.files ?? [];
    if (file) take(file);
  });
  input.click();
}

async function pickFolder(take: (source: FolderSource) => void): Promise<void> {
  if ("showDirectoryPicker" in window) {
    try {
      take({ kind: "handle", handle: await (window as unknown as { showDirectoryPicker(): Promise<FileSystemDirectoryHandle> }).showDirectoryPicker() });
    } catch (error) {
      if (!(error instanceof DOMException && error.name === "AbortError")) throw error;
    }
    return;
  }
  const input = document.createElement("input");
  input.type = "file";
  input.webkitdirectory = true;
  input.addEventListener("change", () => take({ kind: "files", files: [...(input.files ?? [])].map((file) => [file.webkitRelativePath, file]) }));
  input.click();
}

function paste({ noun, take }: TextSource): void {
  const dialog = document.createElement("dialog");
  const use = () => {
    const text = dialog.querySelector("textarea")?.value ?? "";
    if (text.trim()) take(text, `pasted ${noun}`);
  };
  render(
    html`<form method="dialog" @submit=${use}>
      <h2 id="paste-title">Paste a ${noun}</h2>
      <textarea rows="12" aria-labelledby="paste-title" spellcheck="false"></textarea>
      <div class="row"><button type="submit" class="primary">Use it</button><button type="button" @click=${() => dialog.close()}>Close</button><span class="muted">It stays in this tab.</span></div>
    </form>`,
    dialog,
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
