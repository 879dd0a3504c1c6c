/** What `lectern help` prints, and what the guide's page of commands shows. */
export const help = `lectern serve                                     serve until stopped
lectern console                                   make a link that signs the operator in, once; also while it serves
lectern migrate                                   bring the database up to date
lectern import FILE --course ID [--title TITLE]   import a package; creates the course when it is new
lectern tenant create ID [--name NAME]            create a tenant
lectern tenant suspend|resume ID                  stop all access to a tenant, and allow it again
lectern tenant delete ID [--plan]                 delete a suspended tenant (--plan: only count its data)
lectern key create --tenant ID --name NAME        create a key of a tenant (--operator: of the operator)
      [--scope SCOPE …] [--expires INSTANT]
lectern key revoke KEYID                          revoke a key
lectern keys list                                 list the signing keys, without their values
lectern keys rotate                               sign with a new key; also while it serves
lectern keys remove KEYID                         remove a key; what it signed is no longer valid
lectern audit verify [FOLDER] [--since FILE]      check the audit trail, or that of a backup; FILE: what it printed before
lectern bulk users|enrolments FILE [--plan]       send NDJSON or CSV to a running service; FILE -: NDJSON from stdin
      --url URL --key KEY [--tenant ID] [--idempotency-key KEY]   (or LECTERN_URL and LECTERN_KEY)
lectern backup FOLDER                             copy database, course files and key ring into a new folder
lectern restore FOLDER                            put a backup into an empty database and DATA_DIR
lectern demo                                      show the whole interface on an empty database

An embedded database is used by one process: stop the service first, or use its interface. "console" needs its
DATA_DIR only, so it works while the service runs.
The environment configures all of them: /docs/guide/reference/configuration on a running service.`;
