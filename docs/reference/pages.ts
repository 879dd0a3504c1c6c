/** The reference pages of the guide, generated from the tables that the service itself uses. */
import { STATUS_CODES } from 'node:http';
import { help } from '../../server/src/cli/help.ts';
import { eventCatalogue } from '../../server/src/domain/events/types.ts';
import { type ErrorCode, errorCodes } from '../../server/src/lib/errors.ts';
import { settings } from '../../server/src/lib/settings.ts';
import { errorAdvice } from './error-advice.ts';

const page = (parts: readonly string[]) => `${parts.join('\n\n')}\n`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const code = (text: string) => `\`${text}\``;

/** A default that is a sentence or contains code is left unchanged. */
function defaultOf(value: string | number): string {
  const text = String(value);
  return text === 'none' || text.includes('`') ? text : code(text);
}

export function configurationPage(): string {
  const groups = Object.entries(settings).map(([title, group]) => {
    const rows = Object.entries(group).map(([name, { default: value, meaning }]) => [
      code(name),
      defaultOf(value),
      meaning,
    ]);
    return `## ${title}\n\n${table(['Variable', 'Default', 'Meaning'], rows)}`;
  });
  return page([
    '# Configuration',
    'Lectern is configured with environment variables, which are all optional. If a value is invalid, the service does not start, and the error message names the variable.',
    ...groups,
  ]);
}

export function errorsPage(): string {
  const codes = Object.entries(errorCodes) as [ErrorCode, readonly [number, string]][];
  const statuses = [...new Set(codes.map(([, [status]]) => status))].sort((one, other) => one - other);
  const chapters = statuses.map((status) => {
    const entries = codes
      .filter(([, [its]]) => its === status)
      .map(([name, [, title]]) => `### ${name}\n\n**${title}.** ${errorAdvice[name]}`);
    return [`## ${status} ${STATUS_CODES[status]}`, ...entries].join('\n\n');
  });
  return page([
    '# Errors',
    'Every error is a problem document (RFC 9457) with the media type `application/problem+json`. Programs should act on `code`, whose meaning never changes. `detail` says what to do in this case, `param` names the field, and `request_id` identifies the request in the log.',
    ...chapters,
  ]);
}

type Described = { description?: string; properties?: Record<string, object> };
/** The part of the OpenAPI document that describes the events. */
type Webhooks = {
  webhooks: Record<string, { post: { requestBody: { content: Record<string, { example?: unknown }> } } }>;
};

/** The events, each with the example that the API reference shows. */
export function eventsPage({ webhooks }: Webhooks): string {
  const chapters = Object.entries(eventCatalogue).map(([type, [meaning, schema]]) => {
    const { properties = {} } = schema as Described;
    const fields = Object.keys(properties).map(code).join(', ');
    const { example } = webhooks[type]?.post.requestBody.content['application/json'] ?? {};
    const payload = `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``;
    return `### ${type}\n\n${meaning}\n\n\`Data\`: ${fields}\n\n${payload}`;
  });
  return page([
    '# Events',
    'Each change writes one event in the same transaction. An event has the fields `EventID`, `Type`, `OccurredAt`, `LoginID`, `EnrollID`, `CourseID` and `Data`; fields that do not apply are null. New fields may be added to `Data` at any time, so ignore fields that you do not know. The [API reference](/docs) has the schema of each type. To receive events, see [Webhooks and events](../webhooks.md).',
    '## Catalogue',
    ...chapters,
  ]);
}

export function commandsPage(): string {
  return page([
    '# Command line',
    'If the package is installed, run `lectern COMMAND`; in a checkout of the project, run `npm run -s lectern -- COMMAND`. All commands are configured with [environment variables](configuration.md).',
    `\`\`\`text\n${help}\n\`\`\``,
    '## Exit status',
    'A command exits with 0 if it succeeds. Otherwise it exits with 1 and writes the reason to standard error. `bulk` also exits with 1 if a row failed, and `audit verify` if a chain is broken.',
  ]);
}
