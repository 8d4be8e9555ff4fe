import { request } from 'undici';
import { start } from '#server/app/start';
import { loadConfig } from '#server/config/config';
import type { OfferedTool, ToolResult } from '#server/conversation/tools';
import { createLog } from '#server/logging/log';

/**
 * A server started like main.ts, with tools whose calls go to the URL in TOOLS_URL: `act` changes something, `look`
 * does not.
 */
const toolsUrl = process.env.TOOLS_URL ?? '';
const offered = (tool: string, more: Partial<OfferedTool>): OfferedTool => ({
  name: `demo_${tool}`,
  serverId: 1,
  serverName: 'Demo server',
  tool,
  title: tool,
  description: '',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
  approval: 'never',
  digest: `${tool} 1`,
  mayRepeat: false,
  ...more,
});
const tools = [offered('act', {}), offered('look', { mayRepeat: true }), offered('pay', { approval: 'always' })];

const config = loadConfig(process.env);
const { log } = createLog(config.logLevel);
const running = await start(config, log, {
  tools: {
    box: {
      offered: async () => tools,
      offeredOf: async () => [],
      async call(_userId, { tool }, input, signal): Promise<ToolResult> {
        const { body } = await request(toolsUrl, { method: 'POST', body: JSON.stringify({ tool, input }), signal });
        return { text: await body.text(), isError: false };
      },
    },
  },
});
process.on('SIGTERM', () => void running.stop().then(() => process.exit(0)));
