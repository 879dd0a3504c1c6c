/** The output of `lectern help`, also shown on the guide's page of commands. */
export const help = `lectern serve                                     run the service until stopped
lectern console                                   create a one-time sign-in link for the operator, even while the service is running
      [--remove-passkeys]                         (--remove-passkeys: the link also removes the operator's passkeys)
lectern check                                     check settings, database, storage, mail, certificates and clock
lectern health                                    print whether the service on this machine is ready
lectern migrate                                   migrate the database to the installed version
lectern import FILE --course ID [--title TITLE]   import a package (creates the course if it does not exist)
lectern tenant create ID [--name NAME] [--test]   create a tenant (--test: a test tenant)
lectern tenant suspend|resume ID                  suspend all access to a tenant, or resume it
lectern tenant delete ID [--plan]                 delete a suspended tenant (--plan: only count its data)
lectern key create --tenant ID --name NAME        create a key for a tenant (--operator: for the operator)
      [--scope SCOPE …] [--expires INSTANT]
lectern key revoke KEYID                          revoke a key
lectern keys list                                 list the signing keys without their values
lectern keys rotate                               sign with a new key, even while the service is running
lectern keys remove KEYID                         remove a key; anything it signed becomes invalid
lectern audit verify [FOLDER] [--since FILE]      verify the audit trail (FOLDER: a backup; FILE: output of an earlier run)
lectern bulk users|enrolments FILE [--plan]       send NDJSON or CSV to a running service (FILE -: NDJSON from stdin)
      --url URL --key KEY [--tenant ID] [--idempotency-key KEY]   (or LECTERN_URL and LECTERN_KEY)
lectern storage claim                             after a restore: make the store in STORAGE_URL the restored database's
lectern backup FOLDER [--allow-missing]           copy the database, course files and key ring into a new folder
                                                  (--allow-missing: even if files of releases are missing)
lectern backup verify FOLDER                      restore a backup into a temporary place and start it there
lectern restore FOLDER                            restore a backup into an empty database and DATA_DIR
lectern demo                                      run a demo of the API on an empty database
lectern --version                                 print the installed version

Only one process can use an embedded database: stop the service first, or use its API. "console" only needs
DATA_DIR, so it works while the service is running.
All commands are configured with environment variables: see /docs/guide/reference/configuration on a running
service. Without DATA_DIR and DATABASE_URL, they read the settings in /etc/lectern.env if that file exists. Only
serve, migrate, restore and demo create a database.`;

/** Returns the command to type. In a checkout, npm runs the commands and sets these variables. */
export function commandOf(command: string): string {
  const { npm_package_name: name, npm_lifecycle_event: script } = process.env;
  const isCheckout = name === 'lectern' && ['start', 'demo', 'lectern'].includes(script ?? '');
  return `${isCheckout ? 'npm run -s lectern -- ' : 'lectern '}${command}`;
}

/** Thrown when the command line is invalid. */
export class UsageError extends Error {
  constructor(message: string) {
    super(`${message}\nFor all commands and options, run: ${commandOf('help')}`);
  }
}

/**
 * Shown at every start until the operator has used a key or link, because the output of the first
 * start may be lost.
 */
export const accessHint = () => `
No operator has signed in or used a key yet. To create a link that signs you in to the console, run:

  ${commandOf('console')}

To create another operator key, run this command (with the embedded database, stop the service first):

  ${commandOf('key create --operator --name NAME')}

`;
