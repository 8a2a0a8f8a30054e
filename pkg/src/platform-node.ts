/** Node's defaults, one line a part. */
import { chatCitationDeps } from "./node/citation-host.js";
import { DocumentIndex } from "./node/document-index.js";
import { defaultTranscriptsDir, nodeTranscriptStorage, realpath } from "./node/transcript-storage.js";
import { registerPlatform } from "./platform.js";
import type { ResolveCitationDeps } from "./resolve.js";

registerPlatform({
  chatCitationDeps,
  currentDirectory: () => process.cwd(),
  documentLibrary: (options) => new DocumentIndex(options) as ResolveCitationDeps,
  realpath,
  transcriptsDir: defaultTranscriptsDir,
  transcriptStorage: nodeTranscriptStorage,
});
