import { createLru } from "./lru.ts";
import { parseSettings, type Scenario, withoutFaults } from "./scenario.ts";

/** A scenario set from outside, for the requests that match. */
export interface ScriptRule {
  /**
   * Substring of the path, exact model, fingerprint or exact credential; absent = any. An absent method is
   * POST: polls and files are met only by rules that say GET.
   */
  match: { method?: string; path?: string; model?: string; credential?: string };
  directive: string;
  /** The number of requests that it serves; absent = all until it is deleted. */
  times?: number;
}

interface RequestTraits {
  /** Absent = POST. */
  method?: string;
  path: string;
  model: string;
  credential: string | undefined;
  fingerprint: string | null;
  /** Fingerprint of the whole prompt: what `times` and `flap` count by. */
  digest: string;
}

export interface Scripts {
  add(rule: ScriptRule): void;
  rules(): readonly ScriptRule[];
  clear(): void;
  /** The scenario of one request: its own directive over the first rule that matches, then counted. */
  scenarioFor(own: Scenario, traits: RequestTraits): Scenario;
}

/** Prompts whose requests are counted; older ones start again. */
const MAX_COUNTED_PROMPTS = 100_000;
/** The status of a flap if the directive names none. */
const FLAP_STATUS = 503;

export function createScripts(): Scripts {
  const rules: { rule: ScriptRule; scenario: Scenario; left: number }[] = [];
  const counts = createLru<number>(MAX_COUNTED_PROMPTS);

  const ruleFor = (traits: RequestTraits): Scenario | undefined => {
    if (rules.length === 0) return undefined;
    const found = rules.find(({ rule, left }) => left > 0 && matches(rule, traits));
    if (found === undefined) return undefined;
    found.left -= 1;
    return found.scenario;
  };

  return {
    add(rule) {
      rules.push({
        rule,
        scenario: parseSettings(rule.directive),
        left: rule.times ?? Number.POSITIVE_INFINITY,
      });
    },
    rules: () => rules.map(({ rule }) => rule),
    clear() {
      rules.length = 0;
      counts.clear();
    },
    scenarioFor(own, traits) {
      const ruled = ruleFor(traits);
      const scenario = ruled === undefined ? own : { ...ruled, ...own };
      if (scenario.times === undefined && scenario.flap === undefined) return scenario;
      const count = (counts.get(traits.digest) ?? 0) + 1;
      counts.set(traits.digest, count);
      return counted(scenario, count);
    },
  };
}

function matches({ match }: ScriptRule, traits: RequestTraits): boolean {
  if ((match.method ?? "POST") !== (traits.method ?? "POST")) return false;
  if (match.path !== undefined && !traits.path.includes(match.path)) return false;
  if (match.model !== undefined && match.model !== traits.model) return false;
  if (match.credential === undefined) return true;
  return match.credential === traits.credential || match.credential === traits.fingerprint;
}

function counted(scenario: Scenario, count: number): Scenario {
  if (scenario.times !== undefined && count > scenario.times) return withoutFaults(scenario);
  if (scenario.flap === undefined) return scenario;
  return count % scenario.flap === 0
    ? { ...scenario, error: scenario.error ?? FLAP_STATUS }
    : withoutFaults(scenario);
}
