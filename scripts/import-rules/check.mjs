// Checks the import rules of the repository, after proving on planted violations that the check finds each of them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cruise } from 'dependency-cruiser';
import config from '../../.dependency-cruiser.mjs';
import { root } from '../install.mjs';
import { folderViolations, importsIn } from './folder-cycles.mjs';
import { planted, plantedFolders } from './planted.mjs';

const folders = ['contracts/src', 'server/src', 'web/src', 'simulator/src', 'e2e', 'bench', 'chaos'];

async function violationsIn(baseDir, paths) {
  const { output } = await cruise(
    paths,
    { ...config.options, baseDir, ruleSet: { forbidden: config.forbidden }, validate: true },
    config.options.enhancedResolveOptions,
  );
  return output.summary;
}

const failures = [];

function write(tree, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
}

function inTree(files, check) {
  const tree = mkdtempSync(join(tmpdir(), 'roster-rules-'));
  try {
    write(tree, files);
    return check(tree);
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

const product = ['contracts/src', 'server/src', 'web/src'];
for (const { violation, files } of plantedFolders) {
  const found = inTree(files, (tree) => folderViolations(importsIn(tree, product)));
  if (violation ? !found.includes(violation) : found.length > 0)
    failures.push(`Folders that import each other: found ${JSON.stringify(found)} instead of ${violation ?? 'none'}`);
}
for (const line of folderViolations(importsIn(root, product)))
  failures.push(`${line}: folders that import each other can only be read together`);

for (const { rule, files } of planted) {
  const tree = mkdtempSync(join(tmpdir(), 'roster-rules-'));
  try {
    write(tree, files);
    const { violations } = await violationsIn(
      tree,
      [...new Set(Object.keys(files).map((path) => path.split('/')[0]))].filter((folder) => folder !== 'node_modules'),
    );
    if (!violations.some((violation) => violation.rule.name === rule))
      failures.push(`A planted violation of ${rule} was not found`);
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}
const covered = new Set(planted.map(({ rule }) => rule));
for (const { name } of config.forbidden)
  if (!covered.has(name)) failures.push(`The rule ${name} has no planted violation`);

const { violations, totalCruised } = await violationsIn(root, folders);
if (totalCruised < 100) failures.push(`Only ${totalCruised} modules were looked at`);
for (const { rule, from, to } of violations) failures.push(`${rule.name}: ${from} -> ${to}`);

for (const failure of failures) console.error(failure);
console.log(
  `${totalCruised} modules, ${config.forbidden.length} rules, ${planted.length} planted violations, ${failures.length} failures`,
);
process.exit(failures.length === 0 ? 0 : 1);
