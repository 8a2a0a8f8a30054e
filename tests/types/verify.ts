/** The declarations verification was asked to have, held against the package: each must accept the other. */
import {
  type ChatCitationDeps, type ChatCitationsResult, type CitationRoot, type CommitCheck, type VerifyOptions,
  chatCitationDeps, DEFAULT_BUDGET_MS, DEFAULT_MAX_ITEMS, RULE_CITED_LABEL, RULE_UNKNOWN_LABEL, verifyCitations,
} from "agent-evidence/citations";

interface AskedDeps {
  fileExists(abs: string): boolean;
  readLines(abs: string): string[] | null;
  listFiles(absRoot: string): Promise<string[] | null>;
  commitExists(absRoot: string, sha: string): Promise<"present" | "absent" | "error">;
  now(): number;
}

interface AskedOptions {
  ruleIds?: ReadonlySet<string> | null;
  maxItems?: number;
  budgetMs?: number;
}

interface AskedItem {
  raw: string;
  kind: "path" | "line" | "symbol" | "sha" | "rule";
  status: "verified" | "corrected" | "unverified" | "unchecked";
  resolved?: string;
  note?: string;
}

interface AskedResult {
  verified: number;
  unverifiable: number;
  corrected: number;
  unchecked: number;
  items: AskedItem[];
}

type Roots = readonly { absRoot: string; name: string }[];

verifyCitations satisfies (text: string, roots: Roots, deps?: AskedDeps, opts?: AskedOptions) => Promise<AskedResult>;
chatCitationDeps satisfies () => AskedDeps;
declare const asked: { deps: AskedDeps; options: AskedOptions; result: AskedResult; roots: Roots; check: "present" | "absent" | "error" };
asked.deps satisfies ChatCitationDeps;
asked.options satisfies VerifyOptions;
asked.result satisfies ChatCitationsResult;
asked.roots satisfies readonly CitationRoot[];
asked.check satisfies CommitCheck;
declare const ours: { result: ChatCitationsResult; options: VerifyOptions; check: CommitCheck };
ours.result satisfies AskedResult;
ours.options satisfies AskedOptions;
ours.check satisfies "present" | "absent" | "error";
[DEFAULT_MAX_ITEMS, DEFAULT_BUDGET_MS] satisfies number[];
RULE_CITED_LABEL satisfies "cited by the step \u2014 unchecked";
RULE_UNKNOWN_LABEL satisfies "not an in-force rule here";
