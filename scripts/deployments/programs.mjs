// Has a program read its file in deploy/: node scripts/deployments/programs.mjs nginx
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment, root } from '../install.mjs';

const [asked] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'roster-deployments-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const at = (name) => join(folder, name);
const deployed = (path) => join(root, 'deploy', path);
const read = (path) => readFileSync(deployed(path), 'utf8');

function run(program, args) {
  const env = { ...environment(), PATH: `${environment().PATH}:/usr/sbin` };
  const { status, error, stderr, stdout } = spawnSync(program, args, { encoding: 'utf8', env });
  if (error) throw error;
  if (status === 0) return;
  console.error(`${program} ${args[0]} refuses: ${stderr}${stdout}`);
  process.exitCode = 1;
}

/** The proxies' files name a certificate, and are rejected without one. */
function makeCertificate() {
  const keys = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=roster.example.org'];
  run('openssl', [...keys, '-keyout', at('privkey.pem'), '-out', at('fullchain.pem')]);
}

const checks = {
  nginx() {
    makeCertificate();
    writeFileSync(at('site.conf'), read('proxies/nginx.conf').replaceAll('/etc/ssl/roster/', `${folder}/`));
    writeFileSync(at('nginx.conf'), `events {}\npid ${at('pid')};\nhttp { include ${at('site.conf')}; }\n`);
    run('nginx', ['-t', '-q', '-e', 'stderr', '-c', at('nginx.conf')]);
  },
  haproxy() {
    makeCertificate();
    writeFileSync(at('roster.pem'), `${readFileSync(at('privkey.pem'))}${readFileSync(at('fullchain.pem'))}`);
    writeFileSync(at('haproxy.cfg'), read('proxies/haproxy.cfg').replaceAll('/etc/haproxy/', `${folder}/`));
    run('haproxy', ['-c', '-q', '-f', at('haproxy.cfg')]);
  },
  caddy() {
    run('caddy', ['validate', '--adapter', 'caddyfile', '--config', deployed('proxies/Caddyfile')]);
  },
  promtool() {
    run('promtool', ['check', 'rules', deployed('prometheus/alerts.yml')]);
    run('promtool', ['test', 'rules', deployed('prometheus/alerts.test.yml')]);
  },
  'systemd-analyze'() {
    const unit = deployed('systemd/roster.service');
    run('systemd-analyze', ['verify', '--man=no', unit]);
    run('systemd-analyze', ['security', '--offline=yes', '--threshold=20', unit]);
  },
};

if (!Object.hasOwn(checks, asked)) throw new Error(`No file is checked by ${asked}`);
checks[asked]();
