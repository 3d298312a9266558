import { definedFields } from "../../base/defined-fields.ts";
import type { UpstreamRecord } from "../../catalog/upstreams-store.ts";
import { encodeCredentials, encodeUpstream } from "../../manifest/file/encode-file.ts";
import { readUpstream } from "../../manifest/file/read-item.ts";
import type { Queryable } from "../../storage/database.ts";
import { readKnownNames } from "../catalog/change.ts";

/** A stored upstream of which only some is changed. */
interface Judged extends Omit<UpstreamRecord, "credentials"> {
  readonly credentials: readonly { readonly secret: string }[];
}

/**
 * Judges it by the rules of the catalog file: a kind that needs a key, a secret that fits into a header, none twice.
 * What else is wrong with it by now, such as a model or a group that was removed, isn't the fault of this change.
 */
export async function judgeStored(tx: Queryable, changed: Judged): Promise<void> {
  const secrets = changed.credentials.map(({ secret }) => secret);
  const names = await readKnownNames(tx);
  const known = {
    groups: new Set([...names.groups, ...(changed.groups ?? [])]),
    models: new Set(changed.models.keys()),
  };
  const { disabled: _, ...form } = encodeUpstream(changed);
  readUpstream(
    definedFields({
      ...form,
      timeouts: {},
      ca_file: undefined,
      ...encodeCredentials(changed.kind, secrets),
    }),
    known,
  );
}
