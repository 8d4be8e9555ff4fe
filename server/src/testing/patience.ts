// biome-ignore lint/style/noRestrictedImports: one limit for the tests of every workspace, so it lies outside of them
export { patienceMs } from '../../../scripts/test/patience.ts';
