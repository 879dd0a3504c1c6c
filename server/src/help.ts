/** The output of `lectern help`, also shown on the guide's page of commands. */
export const help = `lectern serve                                     run the service until stopped
lectern console                                   create a one-time sign-in link for the operator, even while the service is running
lectern migrate                                   migrate the database to this version
lectern import FILE --course ID [--title TITLE]   import a package; creates the course if it is new
lectern tenant create ID [--name NAME]            create a tenant
lectern tenant suspend|resume ID                  suspend all access to a tenant, or resume it
lectern tenant delete ID [--plan]                 delete a suspended tenant (--plan: only count its data)
lectern key create --tenant ID --name NAME        create a key for a tenant (--operator: for the operator)
      [--scope SCOPE …] [--expires INSTANT]
lectern key revoke KEYID                          revoke a key
lectern keys list                                 list the signing keys without their values
lectern keys rotate                               sign with a new key, even while the service is running
lectern keys remove KEYID                         remove a key; anything it signed becomes invalid
lectern audit verify [FOLDER] [--since FILE]      verify the audit trail, or that of a backup; FILE: earlier output
lectern bulk users|enrolments FILE [--plan]       send NDJSON or CSV to a running service (FILE -: NDJSON from stdin)
      --url URL --key KEY [--tenant ID] [--idempotency-key KEY]   (or LECTERN_URL and LECTERN_KEY)
lectern backup FOLDER                             copy database, course files and key ring into a new folder
lectern restore FOLDER                            restore a backup into an empty database and DATA_DIR
lectern demo                                      demonstrate the API on an empty database

Only one process can use an embedded database: stop the service first, or use its API. "console" needs only its
DATA_DIR, so it works while the service is running.
Environment variables configure all commands: see /docs/guide/reference/configuration on a running service.`;
