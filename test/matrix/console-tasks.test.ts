import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BOOTSTRAP_PASSWORD, callerOf, type SignedIn, signIn } from "../support/console.ts";
import { MEDIA_KEYS, type MediaWorld, startMediaWorld } from "../support/media-world.ts";
import { waitFor } from "../support/wait.ts";

let world: MediaWorld;
let operator: SignedIn;
/** Ids of the accounts by name. */
let accounts: Map<string, string>;

const VIDEO = { model: "videoa-2.5", content: [{ type: "text", text: "the sea" }], duration: 4 };

beforeAll(async () => {
  world = await startMediaWorld({ FAREGATE_BOOTSTRAP_PASSWORD: BOOTSTRAP_PASSWORD });
  operator = await signIn(world.gateway);
  const rows = await world.gateway.database?.database.query<{ id: bigint; name: string }>(
    "select id, name from accounts",
  );
  accounts = new Map(rows?.map(({ id, name }) => [name, String(id)]));
});

afterAll(() => world?.stop());

const at = (account: string, path: string) => `/accounts/${accounts.get(account)}${path}`;

describe("tasks in the console", () => {
  it("are listed with what they made, which the console itself serves, whole and in parts", async () => {
    const image = (await world.submit({ model: "imagegen-2", prompt: "a lighthouse" })).json.id;
    const video = (await world.submit({ ...VIDEO, return_last_frame: true })).json.id;
    await Promise.all([world.final(image), world.final(video)]);
    const { status, body } = await operator.get(at("acme", "/tasks"));
    expect(status).toBe(200);
    const byId = new Map(body.data.map((task: { id: string }) => [task.id, task]));
    expect(byId.get(image)).toMatchObject({
      medium: "image",
      state: "SUCCESS",
      progress_percent: 100,
      prompt: "a lighthouse",
      charge_nanos: "40000000",
      key: { name: "main" },
      files: [{ kind: "image" }],
      late: false,
    });
    expect(byId.get(video)).toMatchObject({ files: [{ kind: "video" }, { kind: "last_frame" }] });

    const detail = (await operator.get(at("acme", `/tasks/${video}`))).body;
    expect(detail).toMatchObject({
      request: { model: "videoa-2.5", duration: 4, return_last_frame: true },
      receipt: { charge_nanos: "400000000", task: { state: "SUCCESS" } },
    });
    const [{ view }] = detail.files;
    const whole = await fetch(`${world.url}${view}`, { headers: { cookie: operator.cookie } });
    expect(whole.status).toBe(200);
    expect(whole.headers.get("content-type")).toBe("video/mp4");
    expect(whole.headers.get("content-security-policy")).toContain("sandbox");
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect(bytes.subarray(4, 8).toString()).toBe("ftyp");
    const part = await fetch(`${world.url}${view}`, {
      headers: { cookie: operator.cookie, range: "bytes=4-7" },
    });
    expect([part.status, await part.text()]).toEqual([206, "ftyp"]);
    expect(part.headers.get("content-range")).toBe(`bytes 4-7/${bytes.length}`);
    const kept = await fetch(`${world.url}${view}?download=1`, { headers: { cookie: operator.cookie } });
    expect(kept.headers.get("content-disposition")).toMatch(/^attachment; filename="task-/);
    await kept.body?.cancel();
    expect((await fetch(`${world.url}${view}`)).status).toBe(401);
  });

  it("of another account are as unknown ones", async () => {
    const { id } = (await world.submit(VIDEO, { key: MEDIA_KEYS.partner })).json;
    await world.final(id, { key: MEDIA_KEYS.partner });
    for (const path of ["", "/files/0"]) {
      const foreign = await operator.get(at("acme", `/tasks/${id}${path}`));
      const unknown = await operator.get(at("acme", `/tasks/task-unknown${path}`));
      expect(foreign.status).toBe(404);
      expect(foreign.body.message).toBe(unknown.body.message);
      expect((await operator.get(at("partner", `/tasks/${id}`))).status).toBe(200);
    }
    const { body } = await operator.get(at("acme", "/tasks?limit=200"));
    expect(JSON.stringify(body)).not.toContain(id);
    expect((await callerOf(world).get(at("acme", "/tasks"))).status).toBe(401);
  });

  it("tell their end to who listens", async () => {
    const stop = new AbortController();
    const response = await fetch(`${world.url}/api${at("partner", "/tasks/events")}`, {
      headers: { cookie: operator.cookie },
      signal: stop.signal,
    });
    expect(response.headers.get("x-accel-buffering"), "what keeps proxies from holding events back").toBe(
      "no",
    );
    const heard: string[] = [];
    const listening = (async () => {
      for await (const chunk of response.body ?? []) heard.push(Buffer.from(chunk).toString());
    })().catch(() => undefined);
    const { id } = (await world.submit(VIDEO, { key: MEDIA_KEYS.partner })).json;
    await waitFor("the event of the task's end", () => {
      const events = heard
        .join("")
        .split("\n\n")
        .filter((event) => event.includes(id));
      return events.some((event) => event.includes('"state":"SUCCESS"'));
    });
    stop.abort();
    await listening;
  });

  it("say why they failed and cost nothing", async () => {
    const { id } = (await world.submit({ ...VIDEO, ratio: "2:1" })).json;
    await world.final(id);
    const { body } = await operator.get(at("acme", `/tasks/${id}`));
    expect(body).toMatchObject({ state: "FAILURE", charge_nanos: "0", files: [] });
    expect(body.fail_reason).toContain("ratio");
    const failed = await operator.get(at("acme", "/tasks?state=FAILURE"));
    expect(failed.body.data.map((task: { id: string }) => task.id)).toEqual([id]);
  });
});

describe("the queue of tasks", () => {
  it("has what runs, and lets it be looked at now, leaving a trace", async () => {
    const running = { ...VIDEO, content: [{ type: "text", text: "slow [[sandbox: takes=600000]]" }] };
    const { id } = (await world.submit(running)).json;
    const task = await waitFor("the task at its upstream", async () => {
      const { body } = await operator.get("/operator/queue?model=videoa-2.5");
      return body.data.find(
        (each: { id: string; upstream: { task: string } | null }) => each.id === id && each.upstream?.task,
      );
    });
    expect(task).toMatchObject({ account: { name: "acme" }, upstream: { name: "main" }, trouble: [] });
    expect((await operator.get("/operator/queue/counts")).body).toMatchObject({ open: 1, stuck: 0 });
    expect((await operator.post(`/operator/queue/${id}/poll`)).status).toBe(200);
    expect((await operator.post("/operator/queue/task-unknown/poll")).status).toBe(404);
    const [trace] =
      (await world.gateway.database?.database.query<{ subject: string }>(
        "select subject from audit_entries where action = 'task.poll'",
      )) ?? [];
    expect(trace?.subject).toBe(id);
  });
});

describe("assets in the console", () => {
  it("are registered by the console, found by the API and by nobody else", async () => {
    const url = "https://example.com/face.png";
    const { status, body } = await operator.post(at("acme", "/assets"), { url, name: "a face" });
    expect(status).toBe(201);
    const { body: list } = await operator.get(at("acme", "/assets"));
    expect(list.data[0]).toMatchObject({ id: body.id, name: "a face", type: "Image" });
    await waitFor("the asset to be usable", async () => {
      const { body: one } = await operator.get(at("acme", `/assets/${body.id}`));
      return one.usable === true;
    });
    expect((await world.ask(`/v1/videoa/asset/${body.id}`)).json.result.Status).toBe("Active");
    const foreign = await operator.get(at("partner", `/assets/${body.id}`));
    const unknown = await operator.get(at("partner", "/assets/asset-unknown"));
    expect([foreign.status, foreign.body.message]).toEqual([404, unknown.body.message]);
    expect((await operator.post(at("acme", "/assets"), { url: "no" })).status).toBe(400);
  });

  it("lead nobody into the network of the upstream that keeps them", async () => {
    // Wherever it came from, the upstream's own link to it leads to this machine.
    const { body } = await operator.post(at("acme", "/assets"), { url: "https://example.com/cat.png" });
    const shown = await operator.get(at("acme", `/assets/${body.id}/file`));
    expect(shown.status).toBe(502);
    expect(JSON.stringify(shown.body)).toContain("does not fetch from");
  });
});
