/** What a probe is told: the status, and a body of JSON. */
export interface ProbeResponse {
  readonly status: 200 | 503;
  readonly body: object;
}

/** To `/healthz`: whoever can say so lives. */
export const ALIVE: ProbeResponse = { status: 200, body: { status: "ok" } };

/** To `/readyz`. `notReady` says why the process should get no work now; undefined where nothing is wrong. */
export async function readiness(notReady: () => Promise<string | undefined>): Promise<ProbeResponse> {
  const reason = await notReady();
  return reason === undefined
    ? { status: 200, body: { status: "ready" } }
    : { status: 503, body: { status: "not_ready", reason } };
}
