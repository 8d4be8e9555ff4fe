// One file for each rule of .dependency-cruiser.mjs that violates it, in a tree of the same shape.
const other = 'export const value = 1;\n';

export const planted = [
  {
    rule: 'contracts-import-only-zod',
    files: { 'contracts/src/auth.ts': "import '../../server/src/lib/errors.ts';\n", 'server/src/lib/errors.ts': other },
  },
  {
    rule: 'web-never-reaches-server',
    files: { 'web/src/main.ts': "import '../../server/src/lib/errors.ts';\n", 'server/src/lib/errors.ts': other },
  },
  {
    rule: 'server-never-reaches-web',
    files: {
      'server/src/app/start.ts': "import '../../../web/src/lib/api-client.ts';\n",
      'web/src/lib/api-client.ts': other,
    },
  },
  {
    rule: 'simulator-stands-alone',
    files: { 'simulator/src/world.ts': "import '../../contracts/src/errors.ts';\n", 'contracts/src/errors.ts': other },
  },
  {
    rule: 'product-never-reaches-simulator',
    files: {
      'server/src/app/start.ts': "import '../../../simulator/src/world.ts';\n",
      'simulator/src/world.ts': other,
    },
  },
  {
    rule: 'features-know-no-other-feature',
    files: { 'web/src/features/chat/page.ts': "import '../files/page.ts';\n", 'web/src/features/files/page.ts': other },
  },
  {
    rule: 'features-know-no-other-feature',
    files: {
      'server/src/features/chat/service.ts': "import '../auth/service.ts';\n",
      'server/src/features/auth/service.ts': other,
    },
  },
  {
    rule: 'kit-knows-no-feature',
    files: { 'web/src/ui/button.ts': "import '../features/chat/page.ts';\n", 'web/src/features/chat/page.ts': other },
  },
  {
    rule: 'kit-knows-no-feature',
    files: {
      'web/src/components/form.ts': "import '../features/chat/page.ts';\n",
      'web/src/features/chat/page.ts': other,
    },
  },
  {
    rule: 'shared-room-imports-no-other',
    files: {
      'web/src/features/chat/shared/state.ts': "import '../threads/list.ts';\n",
      'web/src/features/chat/threads/list.ts': other,
    },
  },
  {
    rule: 'rooms-import-no-roof',
    files: {
      'web/src/features/chat/threads/list.ts': "import '../chat-page.ts';\n",
      'web/src/features/chat/chat-page.ts': other,
    },
  },
  {
    rule: 'lib-is-the-ground',
    files: { 'web/src/lib/text/format.ts': "import '../../ui/button.ts';\n", 'web/src/ui/button.ts': other },
  },
  {
    rule: 'lib-draws-nothing',
    files: { 'web/src/features/chat/page.ts': "import '../../lib/notice.tsx';\n", 'web/src/lib/notice.tsx': other },
  },
  {
    rule: 'api-draws-nothing',
    files: { 'web/src/api/models.ts': "import '../ui/button.ts';\n", 'web/src/ui/button.ts': other },
  },
  {
    rule: 'ui-knows-no-api',
    files: { 'web/src/ui/button.ts': "import '../api/models.ts';\n", 'web/src/api/models.ts': other },
  },
  {
    rule: 'uploads-wait-their-turn',
    files: {
      'web/src/features/chat/composer.ts': "import '../../api/uploads/upload-file.ts';\n",
      'web/src/api/uploads/upload-file.ts': other,
    },
  },
  {
    rule: 'ui-knows-no-contract',
    files: {
      'web/src/ui/button.ts': "import '../lib/api-client.ts';\n",
      'web/src/lib/api-client.ts': "import '../../../contracts/src/errors.ts';\n",
      'contracts/src/errors.ts': other,
    },
  },
  {
    rule: 'components-are-shared',
    files: {
      'web/src/features/chat/page.ts': "import '../../components/form.ts';\n",
      'web/src/components/form.ts': other,
    },
  },
  {
    rule: 'http-is-not-imported',
    files: {
      'server/src/http/codes.ts': "import { STATUS_CODES } from 'node:http';\nexport const codes = STATUS_CODES;\n",
    },
  },
  {
    rule: 'only-repositories-know-sql',
    files: {
      'server/src/features/chat/service.ts': "import { sql } from 'kysely';\nexport const query = sql;\n",
      'node_modules/kysely/package.json': '{ "name": "kysely", "main": "index.js" }',
      'node_modules/kysely/index.js': 'exports.sql = 1;\n',
    },
  },
  {
    rule: 'nothing-calls-back-up',
    files: {
      'server/src/http/app-router/router.ts': "import '../../features/chat/service.ts';\n",
      'server/src/features/chat/service.ts': other,
    },
  },
  {
    rule: 'nothing-calls-back-up',
    files: {
      'server/src/storage/disk.ts': "import '../features/files/service.ts';\n",
      'server/src/features/files/service.ts': other,
    },
  },
  {
    rule: 'migrations-stand-alone',
    files: {
      'server/src/db/migrations/0099-more.ts': "import '../statements.ts';\n",
      'server/src/db/statements.ts': other,
    },
  },
  {
    rule: 'product-never-reaches-tests',
    files: { 'server/src/app/create-app.ts': "import '../testing/actor.ts';\n", 'server/src/testing/actor.ts': other },
  },
  {
    rule: 'product-never-reaches-tests',
    files: { 'web/src/main.ts': "import './testing/app.ts';\n", 'web/src/testing/app.ts': other },
  },
  {
    rule: 'browser-tests-come-from-outside',
    files: { 'e2e/chat.spec.ts': "import '../server/src/lib/errors.ts';\n", 'server/src/lib/errors.ts': other },
  },
  {
    rule: 'chaos-comes-from-outside',
    files: { 'chaos/main.ts': "import '../server/src/lib/errors.ts';\n", 'server/src/lib/errors.ts': other },
  },
  {
    rule: 'no-cycles',
    files: { 'server/src/db/a.ts': "import './b.ts';\n", 'server/src/db/b.ts': "import './a.ts';\n" },
  },
  {
    rule: 'no-type-cycles-in-product',
    files: {
      'web/src/ui/a.ts': "import type { B } from './b.ts';\nexport type A = { b: B };\n",
      'web/src/ui/b.ts': "import { a } from './a.ts';\nexport type B = typeof a;\n",
    },
  },
  {
    rule: 'no-type-cycles-in-product',
    files: {
      'server/src/db/a.ts': "import type { B } from './b.ts';\nexport type A = { b: B };\n",
      'server/src/db/b.ts': "import { a } from './a.ts';\nexport type B = typeof a;\n",
    },
  },
  { rule: 'everything-is-found', files: { 'server/src/db/a.ts': "import './missing.ts';\n" } },
];

/** Trees with the folder violation that each of them has. */
export const plantedFolders = [
  {
    violation: 'server/src: db -> jobs',
    files: {
      'server/src/db/a.ts': "import type { B } from '#server/jobs/b';\n",
      'server/src/jobs/b.ts': "import '#server/lib/c';\n",
      'server/src/lib/c.ts': "import '../db/a.ts';\n",
    },
  },
  {
    violation: 'web/src/features/chat: messages -> runs',
    files: {
      'web/src/features/chat/messages/a.tsx': "import { b } from '#web/features/chat/runs/b.ts';\n",
      'web/src/features/chat/runs/b.ts': "const a = () => import('../messages/a.tsx');\n",
    },
  },
  {
    violation: 'server/src/features/chat/runs/a.ts -> server/src/features/chat/service.ts',
    files: {
      'server/src/features/chat/runs/a.ts': "import '../service.ts';\n",
      'server/src/features/chat/service.ts': other,
    },
  },
  {
    violation: undefined,
    files: {
      'server/src/features/chat/feature.ts': "import './runs/a.ts';\n",
      'server/src/features/chat/runs/a.ts': "import '../shared/b.ts';\n",
      'server/src/features/chat/shared/b.ts': other,
    },
  },
];
