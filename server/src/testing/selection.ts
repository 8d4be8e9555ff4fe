// biome-ignore lint/style/noRestrictedImports: the runner and its workers read the same, so it lies outside of them
export { type ServerTests, serverTests } from '../../../scripts/test/selection.ts';
