import { CHAT, LINK, mediaOf, NATIVE, PNG, partsOf, type RequestRow, shown } from "./row.ts";
import { part } from "./spoken.ts";

const PDF = "JVBERi0xLjQK";
const WAV = "UklGRgAAAABXQVZF";
const MP4 = "AAAAGGZ0eXBtcDQy";

export const MEDIA_ROWS: readonly RequestRow[] = [
  {
    title: "image, inline",
    says: part({
      [CHAT]: { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
      responses: { type: "input_image", image_url: `data:image/png;base64,${PNG}`, detail: "auto" },
      messages: { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
      [NATIVE]: { inlineData: { mimeType: "image/png", data: PNG } },
    }),
    read: shown,
  },
  {
    title: "image by URL",
    says: part({
      [CHAT]: { type: "image_url", image_url: { url: `${LINK}a.png` } },
      responses: { type: "input_image", image_url: `${LINK}a.png`, detail: "auto" },
      messages: { type: "image", source: { type: "url", url: `${LINK}a.png` } },
      [NATIVE]: { fileData: { mimeType: "image/png", fileUri: `${LINK}a.png` } },
    }),
    read: shown,
  },
  {
    title: "image detail",
    says: part({
      [CHAT]: { type: "image_url", image_url: { url: `${LINK}a.png`, detail: "low" } },
      responses: { type: "input_image", image_url: `${LINK}a.png`, detail: "low" },
      [NATIVE]: {
        fileData: { mimeType: "image/png", fileUri: `${LINK}a.png` },
        mediaResolution: { level: "MEDIA_RESOLUTION_LOW" },
      },
    }),
    read: (request) => [mediaOf(request).map(({ detail, extra }) => [detail, extra])],
  },
  {
    title: "PDF, inline",
    says: part({
      [CHAT]: { type: "file", file: { file_data: `data:application/pdf;base64,${PDF}` } },
      responses: {
        type: "input_file",
        file_data: `data:application/pdf;base64,${PDF}`,
      },
      messages: { type: "document", source: { type: "base64", media_type: "application/pdf", data: PDF } },
      [NATIVE]: { inlineData: { mimeType: "application/pdf", data: PDF } },
    }),
    read: shown,
  },
  {
    title: "PDF by URL",
    says: part({
      responses: { type: "input_file", file_url: `${LINK}a.pdf` },
      messages: { type: "document", source: { type: "url", url: `${LINK}a.pdf` } },
      [NATIVE]: { fileData: { mimeType: "application/pdf", fileUri: `${LINK}a.pdf` } },
    }),
    read: shown,
  },
  {
    title: "plain-text document",
    says: part({
      messages: {
        type: "document",
        source: { type: "text", media_type: "text/plain", data: "Water runs downhill." },
      },
    }),
    read: (request) => JSON.stringify(partsOf(request)).includes("Water runs downhill."),
  },
  {
    title: "document title",
    says: part({
      [CHAT]: { type: "file", file: { file_data: `data:application/pdf;base64,${PDF}`, filename: "rivers" } },
      responses: {
        type: "input_file",
        file_data: `data:application/pdf;base64,${PDF}`,
        filename: "rivers",
      },
      messages: {
        type: "document",
        title: "rivers",
        source: { type: "base64", media_type: "application/pdf", data: PDF },
      },
      [NATIVE]: { inlineData: { mimeType: "application/pdf", data: PDF, displayName: "rivers" } },
    }),
    read: (request) => JSON.stringify(partsOf(request)).includes("rivers"),
  },
  {
    title: "title of a plain-text document",
    says: part({
      messages: {
        type: "document",
        title: "rivers",
        source: { type: "text", media_type: "text/plain", data: "Water runs downhill." },
      },
    }),
    read: (request) => JSON.stringify(partsOf(request)).includes("rivers"),
  },
  {
    title: "document context and citations",
    says: part({
      messages: {
        type: "document",
        context: "From 1900.",
        citations: { enabled: true },
        source: { type: "base64", media_type: "application/pdf", data: PDF },
      },
    }),
    read: (request) => mediaOf(request).map(({ extra }) => extra),
  },
  {
    title: "file stored at the vendor",
    says: part({
      [CHAT]: { type: "file", file: { file_id: "file-1" } },
      responses: { type: "input_file", file_id: "file-1" },
      messages: { type: "document", source: { type: "file", file_id: "file-1" } },
      [NATIVE]: {
        fileData: {
          mimeType: "application/pdf",
          fileUri: "https://generativelanguage.googleapis.com/v1beta/files/1",
        },
      },
    }),
    read: shown,
  },
  {
    title: "audio",
    says: part({
      [CHAT]: { type: "input_audio", input_audio: { data: WAV, format: "wav" } },
      [NATIVE]: { inlineData: { mimeType: "audio/wav", data: WAV } },
    }),
    read: shown,
  },
  {
    title: "video",
    says: part({ [NATIVE]: { inlineData: { mimeType: "video/mp4", data: MP4 } } }),
    read: shown,
  },
];
