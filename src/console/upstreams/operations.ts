import { readUpstreams } from "../../catalog/upstreams-store.ts";
import { KIND_NAMES, kindOf } from "../../upstreams/kinds.ts";
import { PRESET_NAMES, presetOf } from "../../upstreams/vendor-presets.ts";
import type { ConsoleDeps } from "../deps.ts";
import { json, type Operation } from "../operation.ts";
import {
  kinds,
  presets,
  reportQuery,
  type UpstreamReport,
  upstream,
  upstreamReport,
  upstreams,
} from "./contract.ts";
import { credentialOperations } from "./credentials.ts";
import { responseOf, upstreamOf } from "./find.ts";
import { offeredModelOperations } from "./offered-models.ts";
import { type DayOfUpstream, readUpstreamDays, readUpstreamFailures } from "./report-store.ts";
import { termsOperations } from "./terms.ts";
import { upstreamResponses } from "./upstream-response.ts";

const described = { method: "GET", policy: "operator", tag: "upstreams" } as const;
const UPSTREAM = "/operator/upstreams/{upstream}";

/** The upstreams with their health and costs, for operators. */
export function upstreamOperations(deps: ConsoleDeps): readonly Operation[] {
  return [
    list(deps),
    show(deps),
    report(deps),
    listKinds(),
    listPresets(),
    ...termsOperations(deps),
    ...credentialOperations(deps),
    ...offeredModelOperations(deps),
  ];
}

function list(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    path: "/operator/upstreams",
    summary: "All upstreams with current health",
    response: upstreams,
    async run() {
      const records = await readUpstreams(deps.database, deps.seals);
      return {
        data: upstreamResponses(deps, records, await deps.traffic.hour()),
        next: null,
        process: deps.runtime.label,
      };
    },
  });
}

function show(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    path: UPSTREAM,
    summary: "One upstream with current health",
    response: upstream,
    conditional: true,
    run: ({ params }) => responseOf(deps, params["upstream"]),
  });
}

/** Enough to see a pattern. */
const SHOWN_FAILURES = 50;

function report(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    path: `${UPSTREAM}/report`,
    summary: "An upstream's charges and cost by day, and its latest failures",
    query: reportQuery,
    response: upstreamReport,
    async run({ params, query }) {
      const { name } = await upstreamOf(deps, deps.database, params["upstream"]);
      const days = await readUpstreamDays(deps.database, name, query.days);
      const failures = await readUpstreamFailures(deps.database, name, SHOWN_FAILURES);
      return {
        days: days.map(dayResponse),
        failures: failures.map(({ requestId, at, accountId, errorCode, ...rest }) => ({
          ...rest,
          request_id: requestId,
          at: at.toISOString(),
          account_id: String(accountId),
          error_code: errorCode,
        })),
      };
    },
  });
}

function dayResponse(day: DayOfUpstream): UpstreamReport["days"][number] {
  const { reportedRequests, reportedChargeNanos, costNanos } = day;
  return {
    day: day.day,
    requests: Number(day.requests),
    errors: Number(day.errors),
    input_tokens: Number(day.inputTokens),
    output_tokens: Number(day.outputTokens),
    images: Number(day.images),
    video_seconds: Number(day.videoSeconds),
    charge_nanos: String(day.chargeNanos),
    reported:
      reportedRequests === null
        ? null
        : {
            requests: Number(reportedRequests),
            charge_nanos: String(reportedChargeNanos),
            cost_nanos: String(costNanos),
          },
  };
}

function listKinds(): Operation {
  return json({
    ...described,
    path: "/operator/kinds",
    summary: "Available kinds of upstreams",
    response: kinds,
    run: () => ({
      data: KIND_NAMES.flatMap((name) => {
        const kind = kindOf(name);
        if (kind === undefined) return [];
        const { protocols, families, needsKey, paths, credentialForms = [], places = {} } = kind;
        return [
          {
            name,
            protocols: [...protocols],
            families: [...families],
            needs_key: needsKey,
            possible_protocols: Object.keys(paths),
            credential_forms: credentialForms.map((form) => ({
              name: form.name,
              from: form.from ?? null,
              fields: Object.entries(form.fields).map(([field, { about, isSecret, isRequired }]) => ({
                name: field,
                about,
                secret: isSecret === true,
                required: isRequired === true,
              })),
            })),
            places: Object.entries(places).map(([field, required]) => ({ name: field, required })),
          },
        ];
      }),
      next: null,
    }),
  });
}

function listPresets(): Operation {
  return json({
    ...described,
    path: "/operator/presets",
    summary: "Available presets of kind openai-compatible",
    response: presets,
    run: () => ({
      data: PRESET_NAMES.flatMap((name) => {
        const preset = presetOf(name);
        if (preset === undefined) return [];
        const { baseUrl, protocols, needsKey, keysUrl, source } = preset;
        return [
          {
            name,
            base_url: baseUrl,
            protocols: [...protocols],
            needs_key: needsKey,
            keys_url: keysUrl ?? null,
            source,
          },
        ];
      }),
      next: null,
    }),
  });
}
