import type { Call } from "../call.ts";
import type { Scenario } from "../scenario.ts";
import type { World } from "../world.ts";
import { type Turn, turnAt } from "./turns.ts";

/** The response to a read in place of the truth: its turn of a list, and faults of the list or of a rule. */
export interface ScriptedTurn {
  turn: Turn | undefined;
  scenario: Scenario;
}

/** `list` is what was scripted of this task, asset or file; `asked` counts its reads from 1. */
export function scriptedTurn(
  world: World,
  call: Call,
  { id, list, asked }: { id: string; list: string | undefined; asked: number },
): ScriptedTurn {
  const traits = { ...call, method: "GET", model: call.track.model, digest: id };
  const ruled = world.scripts.scenarioFor({}, traits);
  const turn = turnAt(list, asked);
  return { turn, scenario: turn?.type === "fault" ? { ...turn.scenario, ...ruled } : ruled };
}
