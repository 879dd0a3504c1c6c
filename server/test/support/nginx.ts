import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes the recipe as a configuration that nginx runs on its own in this folder. Returns the file. */
export function writeStandAlone(folder: string, recipe: string, connections = 1_024): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder};`,
  );
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `user root; daemon off; pid ${folder}/nginx.pid; error_log stderr; worker_rlimit_nofile ${connections * 4};
events { worker_connections ${connections}; }
http { access_log off; ${temporary.join(' ')}\n${recipe}}`,
  );
  return file;
}
