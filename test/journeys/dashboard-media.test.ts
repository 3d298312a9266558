import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacksBrowser, openBrowser, type TestBrowser } from "../support/browser.ts";
import { type DashboardWorld, openDashboardWorld, signInAt } from "../support/dashboard-world.ts";

/** In the page: plays the video, and says what it is once it moves. */
const PLAYED = `(async () => {
  const video = document.querySelector("video");
  video.muted = true;
  await video.play();
  await new Promise((resolve) => video.addEventListener("timeupdate", resolve, { once: true }));
  return { seconds: video.duration, height: video.videoHeight, at: video.currentTime };
})()`;

describe.skipIf(lacksBrowser)("a video in the dashboard", () => {
  let world: DashboardWorld;
  let browser: TestBrowser;
  beforeAll(async () => {
    world = await openDashboardWorld();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  it("is priced before it is ordered, watched while it is made, played, and found in the gallery", async () => {
    const { page, complaints } = await browser.visit(world.gateway.url);
    await signInAt({ page });
    await page.getByRole("link", { name: "Playground" }).click();
    await page.getByRole("main").getByRole("link", { name: "Videos" }).click();
    const form = page.getByRole("main");
    await form.getByLabel("Model", { exact: true }).selectOption("videob-3.0-video");
    await form.getByLabel(/^prompt(?!_)/).fill("A lighthouse at dusk");
    await form.getByLabel(/^duration/).fill("3");
    await form.getByText("$0.54").waitFor();
    await form.getByRole("button", { name: "Generate" }).click();

    await page.locator("video").waitFor();
    const played = await page.evaluate<{ seconds: number; height: number; at: number }>(PLAYED);
    expect([Math.round(played.seconds), played.height]).toEqual([3, 1080]);
    expect(played.at).toBeGreaterThan(0);

    await page.getByRole("link", { name: "Tasks" }).click();
    await page.getByText("A lighthouse at dusk").click();
    await page.getByText("$0.54").first().waitFor();
    await page.locator("video").waitFor();
    expect(complaints()).toEqual([]);
  });
});
