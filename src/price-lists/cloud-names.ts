/** A model by its own vendor's name, where a cloud calls it otherwise. */
interface OwnName {
  readonly vendor: string;
  readonly model: string;
}

/** A group of regions, the vendor, its name for the model, and versions that the cloud counts by itself. */
const AT_BEDROCK = /^(?:[a-z-]+\.)?anthropic\.(claude-[\w.-]+?)(?:-v\d+)?(?::\d+)?$/;

/** The date stands behind an @ there. */
const AT_VERTEX = /^(claude-[\w.-]+)@[\w.-]+$/;

/** undefined = the name is not in a form of a cloud's. */
export function ownNameOf(name: string): OwnName | undefined {
  const model = AT_BEDROCK.exec(name)?.[1] ?? AT_VERTEX.exec(name)?.[1];
  return model === undefined ? undefined : { vendor: "anthropic", model };
}
