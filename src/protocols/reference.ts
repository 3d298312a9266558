import type { BareRule } from "../base/json/json-bare.ts";
import type { BodyScan } from "../base/json/json-scan.ts";

/** One place in a request where an id of something that the vendor keeps stands. */
export interface ReferenceRow {
  /**
   * The path in the form that callers read: `[]` behind every array; at the very end, the strings of that array are
   * ids.
   */
  readonly path: string;
  /** Values that are ids of such things; absent = every string that is not empty. */
  readonly isId?: ((value: string, isWhole: boolean) => boolean) | undefined;
  /** Values are addresses, of which those are ids that lead to what a vendor keeps. */
  readonly isAddress?: true | undefined;
  /** It adds nothing to what the model reads, so that the body's own bytes bound that. */
  readonly addsNothing?: true | undefined;
}

/** All such places of one protocol, the vendor's pages beside them. */
export interface ReferenceTable {
  readonly rows: readonly ReferenceRow[];
  /** The objects that refer to stored content, for paths that hold the id of any object. */
  readonly bare?: BareRule | undefined;
  /** True if the vendor keeps the response to a request, so that a later one can name its id; absent = never. */
  readonly keepsResponse?: KeepRule | undefined;
}

/** Read off the fields that it names. */
interface KeepRule {
  readonly fields: readonly string[];
  of(scan: BodyScan): boolean;
}

/** A protocol that knows none. */
export const NO_REFERENCES: ReferenceTable = { rows: [] };

/** The same rows below each of several places. */
export function rowsBelow(places: readonly string[], rows: readonly ReferenceRow[]): ReferenceRow[] {
  return places.flatMap((place) => rows.map((row) => ({ ...row, path: `${place}.${row.path}` })));
}

/**
 * True if an address leads to what a vendor keeps for its own account: any that is no data and no public web page, such
 * as `gs://` and `ms://`, and files of a vendor's own hosts. `isWhole`: else only the beginning of a long one is given.
 */
export function isStoredFileUrl(address: string, isWhole: boolean): boolean {
  if (/^\s*data:/i.test(address)) return false;
  if (!URL.canParse(address) || (!isWhole && !WHOLE_HOST.test(address))) return true;
  const { protocol, hostname } = new URL(address);
  return (protocol !== "https:" && protocol !== "http:") || FILE_HOSTS.test(hostname);
}

const WHOLE_HOST = /^\s*https?:\/\/[^/?#]+[/?#]/i;

/** They answer with the credential's own files: https://ai.google.dev/gemini-api/docs/files. */
const FILE_HOSTS = /(^|\.)(googleapis\.com|cloud\.google\.com|openai\.com|anthropic\.com)\.?$/;

/** Uploaded skills, unlike those that every account has by a plain name. */
export const isUploadedSkill = (id: string): boolean => id.startsWith("skill_");
