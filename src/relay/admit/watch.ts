import { compileWatch, type Watch } from "../../base/json/json-watch.ts";
import type { ProtocolName } from "../../conversation/protocol-name.ts";
import { holdPaths, scannedPath } from "../../protocols/body-features.ts";
import type { AdditionalModelField, ForwardTable } from "../../protocols/protocol.ts";
import { PROTOCOLS } from "../../protocols/table.ts";
import { conversationPaths } from "./conversation-key.ts";
import { referencePaths } from "./references.ts";
import { statePaths } from "./strip-state.ts";

/** Fields that the relay reads itself, besides the protocol's listed fields and those that a hold needs. */
const OWN = ["model", "stream"];

const NONE: readonly string[] = [];
const compiledFor = new WeakMap<readonly string[], Map<ProtocolName, Watch>>();

/**
 * Everything that a scan of this protocol's body must look for, with further fields at its top; compiled once for each list of
 * them.
 */
export function watchOf(name: ProtocolName, fields: readonly string[] = NONE): Watch {
  const key = fields.length === 0 ? NONE : fields;
  let compiled = compiledFor.get(key);
  if (compiled === undefined) {
    compiled = new Map();
    compiledFor.set(key, compiled);
  }
  let watch = compiled.get(name);
  if (watch === undefined) {
    const { forward, endpoint } = PROTOCOLS[name];
    const nested = endpoint.count?.nested;
    const paths = [
      ...OWN,
      ...[nested, endpoint.betaField].filter((path) => path !== undefined),
      ...tablePaths(forward),
      ...holdPaths(forward.hold),
      ...referencePaths(name),
      ...fields,
    ];
    watch = compileWatch(paths, {
      unique: ["model"],
      bare: forward.references.bare,
      few: [...conversationPaths(forward), ...statePaths(forward.state)],
      // Servers written in Go match names in any case: https://pkg.go.dev/encoding/json#Unmarshal
      foldsCase: true,
    });
    compiled.set(name, watch);
  }
  return watch;
}

function innerModelPaths({ path, outputLimit, speed }: AdditionalModelField): string[] {
  return [path, outputLimit, speed].flatMap((each) =>
    each === undefined ? [] : [scannedPath({ path: each })],
  );
}

function tablePaths(forward: ForwardTable): string[] {
  const alternatives = forward.content?.alternatives ?? [];
  const endUser = forward.endUser?.filter((path) => !path.includes(".")) ?? [];
  return [
    ...Object.keys(forward.fields),
    ...Object.keys(forward.unserved ?? {}),
    ...(forward.watched ?? []),
    ...(forward.additionalModels ?? []).flatMap(innerModelPaths),
    ...alternatives,
    ...forward.outputLimits,
    ...forward.responseCounts,
    ...endUser,
  ];
}
