/** The declarations the ledger was asked to offer, held against the package. */
import * as ledger from "agent-evidence/ledger";
import type { FileReadTracker, Message, ToolCall } from "agent-evidence/ledger";

type PathAttributions = WeakMap<ToolCall, string | null>;
type FileKeyResolver = (path: string) => string | undefined;
interface VisibleHistory {
  readonly calls: ReadonlyMap<string, ToolCall | null>;
  readonly results: ReadonlyMap<string, Message | null>;
  readonly keyOf: FileKeyResolver;
}
interface ReplayBudget {
  remaining: number;
}
interface LedgerReplayReport {
  readonly pathsWitnessed: number;
  readonly pathsSeen: number;
  readonly unitsReplayed: number;
}

interface Declared {
  MAX_EDIT_CALLS: 8;
  MAX_REPLAYED_UNITS: number;
  MAX_PATH_UNITS: 512;
  MAX_WITNESSED_PATHS: 6;
  createPathAttributions(): PathAttributions;
  lexicalFileKeys(workingDirectory: string, sandboxed: boolean): FileKeyResolver;
  indexVisibleHistory(messages: readonly Message[], keyOf: FileKeyResolver): VisibleHistory;
  collectObservedPaths(messages: readonly Message[], attributions?: PathAttributions): readonly string[];
  visibleCall(history: VisibleHistory, id: string, name: "write" | "edit" | "read"): ToolCall | undefined;
  visibleWrite(history: VisibleHistory, id: string): { readonly path: string; readonly key: string; readonly body: string } | undefined;
  visibleEdit(history: VisibleHistory, id: string): { readonly key: string; readonly input: unknown } | undefined;
  createReplayBudget(units?: number): ReplayBudget;
  spend(budget: ReplayBudget, units: number): boolean;
  replayHop(content: string, input: unknown, budget: ReplayBudget): string | undefined;
  knownStale(tracker: FileReadTracker, key: string): boolean;
  replayObservationLedger(messages: readonly Message[], tracker: FileReadTracker, keyOf: FileKeyResolver, attributions?: PathAttributions): LedgerReplayReport;
}

export const declared: Declared = ledger;

type Same<A, B> = A extends B ? (B extends A ? true : never) : never;
export const same: [
  Same<PathAttributions, ledger.PathAttributions>,
  Same<FileKeyResolver, ledger.FileKeyResolver>,
  Same<VisibleHistory, ledger.VisibleHistory>,
  Same<ReplayBudget, ledger.ReplayBudget>,
] = [true, true, true, true];
export const report: LedgerReplayReport = {} as ledger.LedgerReplayReport;
