import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type OrderedWork, orderedWork } from "./videoa-wording.ts";

/** What people write beside one reference video, and what of it is said of that video. */
const TABLE: Readonly<Record<OrderedWork | "neither", readonly string[]>> = {
  edit: [
    "replace the car in the clip",
    "Edit video 1: make it night.",
    "Please edit the video so that it snows",
    "Add a dog to video 1",
    "add snow to the reference video",
    "Delete the logo from the footage",
    "Remove the man on the left in video 1",
    "Modify the colours of the clip",
    "Replace the car, the red one, in the clip with a bus",
    "In video 1, replace the car with a bus",
    "In the clip replace the car",
    "Video 1: add snow",
    "Take video 1 and add a dog",
    "Could you please remove the watermark from this video?",
    "I want you to replace the sky in my video",
    "Make it night and remove the people from the clip",
    "The weather is fine. Add rain to the video.",
    "Modify @video1 so that the car is red",
    "REPLACE THE CAR IN THE CLIP",
    "The car in video 1 should be replaced by a bus",
    "编辑视频1",
    "删除视频中的水印",
    "把视频1中的汽车替换成马",
    "请将这段视频里的人物删掉",
    "在视频1中，添加一只狗",
    "替换片段中的汽车",
    "给视频加上雪花",
  ],
  extend: [
    "extend video 1",
    "Extend the clip by 5 seconds",
    "Please extend the reference video",
    "continue video 1",
    "Continue from the end of video 1",
    "Continue the story of the clip",
    "Extend forward",
    "extend it backward by 5 s",
    "extend the clip and add a dog to the video",
    "Video 1: extend by 5 seconds",
    "Make it dramatic and extend the video",
    "The clip should be extended by 3 seconds",
    "延长视频1",
    "续写视频",
    "向后延长",
    "把视频1向前延长5秒",
    "请将这段视频延长",
    "继续视频1的内容",
  ],
  neither: [
    "extended family at dinner",
    "An extended family at dinner, as in video 1",
    "the dancers continue to spin",
    "The dancers continue to spin in the clip",
    "add dramatic light",
    "Add dramatic light, in the style of video 1",
    "replace the car",
    "A man replaces a tyre",
    "a woman edits a film on her laptop",
    "The editor continues his work",
    "She adds sugar to her tea, filmed like video 1",
    "workers replace the car in the clip",
    "the camera continues along the street",
    "He wants to extend his arm",
    "Her arms extend forward",
    "Do not extend video 1",
    "Don't add anything to the video",
    "Keep the people as they are, do not replace the car in the clip",
    "Make the same walk without edits to the video",
    "add a video wall to the room",
    "Replace the poster on the video game",
    "continue",
    "edit",
    "Add the dancer in video 1 to the beach",
    "Replace the sky with that of video 1",
    "Extend video 2",
    "Remove the man in video 12",
    "Follow the movement of video 1; the boy will add a stone to the wall",
    "additional light on the editorial address, a continuous shot of the video",
    "A deletion of 1999, replaceable",
    "舞者在视频中继续旋转",
    "不要删除视频中的人物",
    "别延长视频1",
    "添加戏剧性的灯光",
    "继续走",
    "生成一个视频",
    "人们在公园里增加快乐",
    "",
  ],
};

describe("the words of a prompt beside a reference video", () => {
  const rows = Object.entries(TABLE).flatMap(([work, prompts]) =>
    prompts.map((prompt) => [work, prompt] as const),
  );
  it.each(rows)("order %s: %s", (work, prompt) => {
    expect(orderedWork(prompt, 1) ?? "neither").toBe(work);
  });

  const verbs = fc.constantFrom(
    ...(["edit", "modify", "replace", "delete", "remove"] as const).map((verb) => [verb, "edit"] as const),
    ...(["extend", "continue"] as const).map((verb) => [verb, "extend"] as const),
  );
  const polite = fc.constantFrom("", "Please ", "Now ", "Can you ", "you should ", "Then, please, ");
  const tail = fc.constantFrom("", ".", " by five seconds", " and keep the sound", ", slowly");
  const names = (count: number) =>
    fc.oneof(
      fc.integer({ min: 1, max: count }).map((number) => `video ${number}`),
      fc.constantFrom("the video", "this clip", "the reference video", "my original footage"),
    );

  it("count with any of its names, and only up to the number of videos there are", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 }),
        verbs,
        polite,
        tail,
        fc.nat(),
        (count, [verb, work], please, end, pick) => {
          const name = fc.sample(names(count), { seed: pick, numRuns: 1 })[0];
          expect(orderedWork(`${please}${verb} ${name}${end}`, count)).toBe(work);
          expect(orderedWork(`${please}${verb} video ${count + 1}${end}`, count)).toBeUndefined();
        },
      ),
    );
  });

  it("count for nothing without a video, nor where somebody in the image does it, nor where it is forbidden", () => {
    const things = fc.constantFrom(
      "the car",
      "a family dinner",
      "the light",
      "her arms",
      "video game shelves",
    );
    const people = fc.constantFrom("The dancers ", "Two men ", "A woman and her dog ", "Workers in video 1 ");
    const never = fc.constantFrom("Do not ", "Never ", "Keep it and do not ", "You should not ");
    fc.assert(
      fc.property(verbs, polite, things, people, never, tail, ([verb], please, thing, who, not, end) => {
        expect(orderedWork(`${please}${verb} ${thing}${end}`, 3)).toBeUndefined();
        expect(orderedWork(`${who}${verb} the video${end}`, 3)).toBeUndefined();
        expect(orderedWork(`${not}${verb} the video${end}`, 3)).toBeUndefined();
      }),
    );
  });

  it("are read of any text, however long", () => {
    const hostile = [
      "edit ",
      "and not edit ",
      "in the ",
      "add a ",
      ", , ",
      "please ",
      "把视频",
      "the video ",
      " ",
    ];
    for (const piece of hostile) {
      const prompt = `${piece.repeat(400_000)} x`;
      expect(() => orderedWork(prompt, 10)).not.toThrow();
    }
    fc.assert(
      fc.property(
        fc.string({ maxLength: 300 }),
        fc.nat(10),
        (prompt, videos) => void orderedWork(prompt, videos),
      ),
    );
  });
});
