import type { Path } from "../../base/schema-issues.ts";
import {
  credentialText,
  formOf,
  formProblems,
  PLAIN_KEY,
  valueProblems,
} from "../../upstreams/credentials/credential-forms.ts";
import { kindOf, type PlaceField, PRESET_KIND } from "../../upstreams/kinds.ts";
import { presetOf } from "../../upstreams/vendor-presets.ts";
import type { FileUpstream } from "../file/schema.ts";
import { isStandIn } from "../file/stand-ins.ts";

type Report = (path: Path, message: string) => void;

/** The credentials that an upstream has by their fields, and the fields that say where in a cloud it is. */
export function checkCredentials(report: Report, path: Path, upstream: FileUpstream): void {
  const { kind, preset, api_key: key, api_keys: keys, credentials } = upstream;
  if (kindOf(kind, preset)?.needsKey && (key ?? keys ?? credentials) === undefined)
    report([...path, takesKey(kind) ? "api_key" : "credentials"], neededBy(upstream));
  checkFields(report, path, upstream);
  checkPlace(report, path, upstream);
}

function neededBy({ kind, preset }: FileUpstream): string {
  if (preset === undefined || kind !== PRESET_KIND) return `is required for kind ${kind}`;
  const where = presetOf(preset)?.keysUrl;
  return `is required for preset ${preset}${where === undefined ? "" : `; create one at ${where}`}`;
}

function checkFields(report: Report, path: Path, upstream: FileUpstream): void {
  const { kind, credentials, api_key: key, api_keys: keys = [] } = upstream;
  const place = [...path, "credentials"];
  const forms = kindOf(kind)?.credentialForms;
  if (key !== undefined) checkKey(report, [...path, "api_key"], kind, key);
  keys.forEach((each, index) => {
    checkKey(report, [...path, "api_keys", index], kind, each);
  });
  if (credentials === undefined) return;
  if (upstream.api_key !== undefined || upstream.api_keys !== undefined)
    report(place, "can't be combined with api_key and api_keys; put all of them here");
  if (forms === undefined) {
    report(place, `isn't used by kind ${kind}; use api_key`);
    return;
  }
  const seen = new Set<string>();
  credentials.forEach((fields, index) => {
    const parts = Object.fromEntries(
      Object.entries(fields).flatMap(([name, value]) => (value ? [[name, value]] : [])),
    );
    const wrong = formProblems(forms, parts);
    const values = valueProblems(forms, parts).filter(({ field }) => !isStandIn(parts[field] ?? ""));
    for (const { field, message } of [...wrong, ...values])
      report([...place, index, ...(field === "" ? [] : [field])], message);
    const text = credentialText(parts);
    if (seen.has(text)) report([...place, index], "is already in this list");
    seen.add(text);
  });
}

/** True if a credential of the kind may be a key alone. */
function takesKey(kind: string): boolean {
  const forms = kindOf(kind)?.credentialForms;
  return forms === undefined || formOf(forms, { [PLAIN_KEY]: "key" }) !== undefined;
}

function checkKey(report: Report, path: Path, kind: string, key: string): void {
  const { credentialForms: forms, keyCheck } = kindOf(kind) ?? {};
  if (forms !== undefined && (key.startsWith("{") || !takesKey(kind))) {
    report(path, `isn't a key of kind ${kind}; write its credential into credentials, by its fields`);
    return;
  }
  const [problem] = forms === undefined ? [] : valueProblems(forms, { [PLAIN_KEY]: key });
  const message = problem?.message ?? keyCheck?.(key);
  if (message !== undefined) report(path, message);
}

const PLACE_FIELDS: readonly PlaceField[] = [
  "location",
  "project",
  "api_version",
  "token_url",
  "token_scope",
];

function checkPlace(report: Report, path: Path, upstream: FileUpstream): void {
  const { kind } = upstream;
  const places = kindOf(kind)?.places ?? {};
  for (const field of PLACE_FIELDS) {
    const isStated = upstream[field] !== undefined;
    if (isStated && places[field] === undefined)
      report([...path, field], `isn't used by kind ${kind}; remove it`);
    if (!isStated && places[field] === true) report([...path, field], `is required for kind ${kind}`);
  }
}
