/** A model's name at its own vendor, for a cloud that uses another. */
interface OwnName {
  readonly vendor: string;
  readonly model: string;
}

/** Optional group of regions, the vendor, its name of the model, and the cloud's own version numbers. */
const AT_BEDROCK = /^(?:[a-z-]+\.)?anthropic\.(claude-[\w.-]+?)(?:-v\d+)?(?::\d+)?$/;

/** The date follows an @ there. */
const AT_VERTEX = /^(claude-[\w.-]+)@[\w.-]+$/;

/** Undefined = the name has no form of a cloud. */
export function ownNameOf(name: string): OwnName | undefined {
  const model = AT_BEDROCK.exec(name)?.[1] ?? AT_VERTEX.exec(name)?.[1];
  return model === undefined ? undefined : { vendor: "anthropic", model };
}
