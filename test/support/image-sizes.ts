/** The specification's table: pixels of a picture by ratio and tier. */
export const IMAGE_SIZES = `
1:1  1248x1248 2048x2048 2880x2880
16:9 1680x944  2048x1152 3840x2160
9:16 944x1680  1152x2048 2160x3840
4:3  1024x768  2048x1536 3312x2480
3:4  768x1024  1536x2048 2480x3312
3:2  1536x1024 2048x1360 3520x2336
2:3  1024x1536 1360x2048 2336x3520
5:4  1440x1088 2560x2048 3216x2576
4:5  1120x1408 2048x2560 2576x3216
21:9 1920x816  2688x1152 3840x1648
9:21 816x1920  1152x2688 1648x3840
2:1  1776x880  2688x1344 3840x1920
1:2  880x1776  1344x2688 1920x3840
3:1  1536x512  3072x1024 3840x1280
1:3  512x1536  1024x3072 1280x3840`
  .trim()
  .split("\n")
  .flatMap((line) => {
    const [size = "", ...sizes] = line.split(/\s+/);
    return sizes.map((pixels, index) => ({
      size,
      tier: (["1k", "2k", "4k"] as const)[index] ?? "1k",
      pixels,
    }));
  });
