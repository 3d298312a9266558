import type { ReactNode } from "react";
import type { ModelEndpoint } from "../../../src/console/models/contract.ts";
import { useSession } from "../api/session.ts";
import { Code } from "../parts/code.tsx";
import { Field, Select } from "../parts/field.tsx";
import { usePreference } from "../shell/preferences.ts";
import { useEndpointName } from "../words/endpoint-words.ts";
import { useWords } from "../words/use-words.ts";
import { SDKS, sdksFor, snippetOf } from "./snippets.ts";
import { snippetWords } from "./words.ts";

/** A first request to a model, in the reader's language and protocol; both are remembered in this browser. */
export function SnippetPicker({
  model,
  family,
  endpoints,
}: {
  readonly model: string;
  readonly family: string | null;
  readonly endpoints: readonly ModelEndpoint[];
}): ReactNode {
  const t = useWords(snippetWords);
  const nameOf = useEndpointName();
  const { public_url: url } = useSession();
  const [chosen, choose] = usePreference("snippet");
  const [wantedSdk, wantedEndpoint] = chosen.split(" ");
  const offered = sdksFor(endpoints);
  const [sdk, spoken] = offered.find(([name]) => name === wantedSdk) ?? offered[0] ?? ["curl", []];
  const endpoint = spoken.find((name) => name === wantedEndpoint) ?? spoken[0];
  const text = endpoint && snippetOf({ sdk, endpoint, model, family, url });
  if (endpoint === undefined || text === undefined) return null;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        <Field label={t.sdk} quiet>
          <Select
            value={sdk}
            className="w-auto!"
            onChange={(event) => choose(`${event.target.value} ${endpoint}`)}
          >
            {offered.map(([name]) => (
              <option key={name} value={name}>
                {SDKS[name]}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={t.protocol} quiet>
          <Select
            value={endpoint}
            className="w-auto!"
            onChange={(event) => choose(`${sdk} ${event.target.value}`)}
          >
            {spoken.map((name) => (
              <option key={name} value={name}>
                {nameOf(name)}
              </option>
            ))}
          </Select>
        </Field>
      </div>
      <Code text={text} label={t.snippet} />
    </div>
  );
}
