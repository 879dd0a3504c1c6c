/** An environment variable: its default, as shown to readers, and its meaning. */
type Words = { readonly default: string; readonly meaning: string };
/** A whole number from `min` to `max`. */
type Count = {
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly meaning: string;
};

const port = { min: 0, max: 65_535 } as const;

/** Every environment variable that the service reads. The guide's page is generated from this table, in this order. */
export const settings = {
  Addresses: {
    HOST: {
      default: '127.0.0.1',
      meaning:
        'Address to listen on. Unless it is a loopback address, the service needs HTTPS (`TLS_CERT`) or `TRUST_PROXY`.',
    },
    PORT: { default: 3000, ...port, meaning: 'Port of the API, the console and this guide.' },
    BASE_URL: {
      default: 'http(s)://HOST:PORT',
      meaning:
        'Public origin of the API. Every `LaunchURL` begins with it. Behind a proxy it must be `https`.',
    },
    CONTENT_PORT: { default: '`PORT` + 1', meaning: 'Port of the player and of course files.' },
    CONTENT_URL: {
      default: 'http(s)://HOST:CONTENT_PORT',
      meaning:
        'Public origin of the player and of course files. It must differ from `BASE_URL`. With `https://*.courses.example`, each course of each tenant has its own origin.',
    },
    OPERATIONS_PORT: {
      default: 'none',
      meaning:
        'Separate port for `/health/live`, `/health/ready` and `/metrics`. Without it, they are served on `PORT`. They never need a key.',
    },
    TRUST_PROXY: {
      default: 'false',
      meaning:
        '`true` behind one proxy that terminates HTTPS, or the number of proxies (2 to 9). That many addresses at the end of `X-Forwarded-For` are trusted.',
    },
    TLS_CERT: {
      default: 'none',
      meaning:
        'PEM file with the certificate chain. If it is set, the service serves HTTPS and HTTP/2 on all ports. The file is reloaded when it changes.',
    },
    TLS_KEY: { default: 'none', meaning: 'PEM file with the private key of `TLS_CERT`.' },
  },
  'Data and keys': {
    DATABASE_URL: {
      default: 'none',
      meaning:
        'PostgreSQL server, such as `postgres://lectern@db.internal/lectern?sslmode=verify-full`. Without it, the service uses the embedded database in `DATA_DIR`.',
    },
    DATA_DIR: {
      default: './data',
      meaning:
        "Folder for course files, the key ring, the operator's sign-in links and the embedded database. Created with mode 0700. Anyone who can write to it can act as the operator.",
    },
    STORAGE_URL: {
      default: 'none',
      meaning:
        'S3-compatible store for course files, such as `s3://BUCKET/PREFIX?endpoint=https://s3.internal:9000&region=eu-central-1`. Without `endpoint`, it is the one of Amazon S3 in `region` (`us-east-1` by default). Without a store, course files are in `DATA_DIR`, which all nodes share.',
    },
    AWS_ACCESS_KEY_ID: { default: 'none', meaning: 'Access key for `STORAGE_URL`.' },
    AWS_SECRET_ACCESS_KEY: { default: 'none', meaning: 'Secret of `AWS_ACCESS_KEY_ID`.' },
    STORAGE_CACHE: {
      default: 10 * 1024 ** 3,
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      meaning: 'Maximum size in bytes of the copies of course files in `DATA_DIR/cache`, with `STORAGE_URL`.',
    },
    BOOTSTRAP_KEY: {
      default: 'none',
      meaning:
        "Secret of the operator's first key: at least 32 random characters. It is used only when the database is empty.",
    },
    OPERATOR_PASSKEY_REQUIRED: {
      default: 'false',
      meaning:
        'With `true`, the operator needs a passkey to use the console. Without one, a sign-in link only allows adding one. Requires a host name in `BASE_URL`.',
    },
    SIGNING_KEYS: {
      default: '`DATA_DIR/signing-keys.json`',
      meaning:
        'The key ring as comma-separated `ID:KEY` entries. Each key is 32 random bytes in base64url. The first key signs; all keys verify.',
    },
    STATEMENT_NAMES: { default: 'true', meaning: 'Set to `false` behind a PgBouncer older than 1.21.' },
  },
  'Courses and results': {
    PACKAGE_BYTES: {
      default: 2 * 1024 ** 3,
      min: 1,
      max: Number.MAX_SAFE_INTEGER,
      meaning: 'Maximum package size in bytes, both compressed and uncompressed.',
    },
    PACKAGE_ENTRIES: {
      default: 20_000,
      min: 1,
      max: 1_000_000,
      meaning: 'Maximum number of files and folders in a package.',
    },
    IMPORT_SECONDS: {
      default: 300,
      min: 1,
      max: 86_400,
      meaning: 'Time limit for reading one package, in seconds.',
    },
    SEAT_GRACE_DAYS: {
      default: 14,
      min: 0,
      max: 3650,
      meaning:
        'A withdrawal within this number of days after enrolment frees the seat. 0 means that a withdrawal never frees a seat.',
    },
    LATE_RESULTS_DAYS: {
      default: 7,
      min: 0,
      max: 3650,
      meaning: 'Number of days for which results are still accepted after a session or access has ended.',
    },
  },
  'Load and limits': {
    RATE_LIMIT: {
      default: 60_000,
      min: 0,
      max: 1_000_000_000,
      meaning: 'Maximum calls per minute for each key on each node. 0 means no limit.',
    },
    MOST_IN_FLIGHT: {
      default: 2_000,
      min: 1,
      max: 1_000_000,
      meaning:
        'Maximum concurrent API requests on each node. Learners have separate slots, twice as many. Requests beyond it get 503. Each tenant may use a quarter of the slots; further requests from it get 429.',
    },
    DATABASE_CONNECTIONS: {
      default: '10',
      meaning:
        'Maximum number of connections from this node to the PostgreSQL server, at least 4. On Citus, for each worker node.',
    },
    DRAIN_SECONDS: {
      default: 0,
      min: 0,
      max: 300,
      meaning:
        'Number of seconds for which a node that is shutting down returns 503 at `/health/ready` but still serves requests, before it refuses connections.',
    },
  },
  Email: {
    SMTP_URL: {
      default: 'none',
      meaning:
        'Mail server for invitations, password resets and reminders, such as `smtp://USER:PASSWORD@mail.example:587` or `smtps://…:465`. `smtp` requires STARTTLS, except on a loopback address or with `?tls=none` at the end. Without a mail server, the service sends no email and only shows the links.',
    },
    MAIL_FROM: {
      default: 'none',
      meaning:
        "Sender address of all emails, such as `noreply@lectern.example`. Required with `SMTP_URL`. Recipients see the tenant's name next to it.",
    },
    MAIL_RATE_LIMIT: {
      default: 1_000,
      min: 0,
      max: 1_000_000,
      meaning:
        'Maximum emails per hour for each tenant, not counting password resets. Further emails are sent later. 0 means no limit. A tenant sends at most 10 emails and 10 password resets per hour to one address.',
    },
  },
  'Webhooks and logs': {
    WEBHOOK_ALLOW: {
      default: 'none',
      meaning:
        'Comma-separated hosts, addresses and networks that webhooks, identity providers, LMSs and imports may use even if they are private or lack HTTPS, such as `localhost,10.0.0.0/8`. A host that is known only to `/etc/hosts` or through a search domain must be listed by name.',
    },
    OTEL_EXPORTER_OTLP_ENDPOINT: {
      default: 'none',
      meaning:
        'A collector that receives traces by OTLP over HTTP, such as `http://collector:4318`: requests with their route and tenant, and the statements that each waits for. Without it, no code for traces is loaded.',
    },
    LOG_LEVEL: {
      default: 'info',
      meaning:
        '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`. The log is written to standard output, as one JSON object per line.',
    },
  },
} as const satisfies Record<string, Record<string, Words | Count>>;

type Groups = typeof settings;
/** The names of all environment variables. */
export type Setting = { [Group in keyof Groups]: keyof Groups[Group] }[keyof Groups];

const counts = {
  ...settings.Addresses,
  ...settings['Data and keys'],
  ...settings['Courses and results'],
  ...settings['Load and limits'],
  ...settings.Email,
};
/** The environment variables that are whole numbers. */
export type CountSetting = {
  [Name in keyof typeof counts]: (typeof counts)[Name] extends Count ? Name : never;
}[keyof typeof counts];

export function countSetting(name: CountSetting): Count {
  return counts[name];
}

/** Only variables in the table can be read, so the guide lists all of them. */
export type Environment = { readonly [Name in Setting]?: string | undefined };

export class ConfigError extends Error {
  constructor(variable: Setting, message: string, options?: ErrorOptions) {
    super(`${variable}: ${message}`, options);
    this.name = 'ConfigError';
  }
}
