import type { MailText } from './texts/text.ts';

export function toText({ greeting, before, action, after }: MailText, url: string | null): string {
  const link = url === null ? [] : [`${action}\n${url}`];
  return `${[greeting, ...before, ...link, ...after].join('\n\n')}\n`;
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');

const paragraph = (text: string, style = '') =>
  `<p style="margin:0 0 16px;overflow-wrap:anywhere;${style}">${escapeHtml(text)}</p>`;

/** Inline styles and no images, because mail programs drop style sheets and do not load images. */
export function toHtml(
  { subject, greeting, before, action, after }: MailText,
  { url, language }: { url: string | null; language: string },
): string {
  const button = (url: string) =>
    `<p style="margin:24px 0"><a href="${escapeHtml(url)}" style="display:inline-block;padding:12px 24px;border-radius:8px;background:#2456d6;color:#ffffff;text-decoration:none;font-weight:600">${escapeHtml(action)}</a></p>`;
  // No text colours, because they would have to be legible on both light and dark backgrounds.
  const small = 'font-size:14px;';
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif"><div style="max-width:560px;margin:0 auto">
${[greeting, ...before].map((text) => paragraph(text)).join('\n')}
${url === null ? '' : button(url)}
${after.map((text) => paragraph(text, small)).join('\n')}
${url === null ? '' : paragraph(url, small)}
</div></body></html>
`;
}
