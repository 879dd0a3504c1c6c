import type { Request, RequestBody } from '../request.ts';
import { jsonText } from './literal.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what the source of a program should not contain
const unusual = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff]/;

/** A C# string: in verbatim form if it has quotes or several lines, and otherwise with the escapes of JSON. */
export function csharpString(text: string): string {
  if (/["\n]/.test(text) && !unusual.test(text)) return `@"${text.replaceAll('"', '""')}"`;
  return JSON.stringify(text).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function addressOf(url: string, query: Record<string, string>): string {
  const pairs = Object.entries(query).map(([name, value], index) => {
    const before = csharpString(`${index === 0 ? '?' : '&'}${encodeURIComponent(name)}=`);
    return `\n    + ${before} + Uri.EscapeDataString(${csharpString(value)})`;
  });
  return csharpString(url) + pairs.join('');
}

function contentLines(body: RequestBody): string[] {
  const type = csharpString(body.type);
  if ('file' in body)
    return [
      `request.Content = new StreamContent(File.OpenRead(${csharpString(body.file)}));`,
      `request.Content.Headers.ContentType = new MediaTypeHeaderValue(${type});`,
    ];
  const text = 'text' in body ? body.text : jsonText(body.json);
  return [`request.Content = new StringContent(${csharpString(text)}, Encoding.UTF8, ${type});`];
}

/** The request with HttpClient. */
export function csharpOf({ method, url, query, isAuthorized, headers, body }: Request): string {
  const isFile = body !== null && 'file' in body;
  const spaces = [
    'System',
    ...(isFile ? ['System.IO'] : []),
    'System.Net.Http',
    ...(isFile ? ['System.Net.Http.Headers'] : []),
    ...(body && !isFile ? ['System.Text'] : []),
  ];
  const verb = method.charAt(0) + method.slice(1).toLowerCase();
  const isQueried = Object.keys(query).length > 0;
  return [
    ...spaces.map((name) => `using ${name};`),
    '',
    'var client = new HttpClient();',
    ...(isQueried ? [`var url = ${addressOf(url, query)};`] : []),
    `var request = new HttpRequestMessage(HttpMethod.${verb}, ${isQueried ? 'url' : csharpString(url)});`,
    ...(isAuthorized
      ? ['request.Headers.Add("Authorization", "Bearer " + Environment.GetEnvironmentVariable("KEY"));']
      : []),
    ...Object.entries(headers).map(
      ([name, value]) => `request.Headers.Add(${csharpString(name)}, ${csharpString(value)});`,
    ),
    ...(body ? contentLines(body) : []),
    'var response = await client.SendAsync(request);',
    'Console.WriteLine(await response.Content.ReadAsStringAsync());',
  ].join('\n');
}
