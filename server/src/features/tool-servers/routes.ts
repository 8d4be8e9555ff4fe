import { openApiServers as openApi } from '@roster/contracts/tool-servers/openapi-servers';
import { toolServers as api } from '@roster/contracts/tool-servers/tool-servers';
import type { Router } from '#server/http/app-router/router';
import type { OpenApiServerService } from './openapi/service.ts';
import type { ToolServerService } from './service.ts';
import type { CommandService } from './stdio/service.ts';
import type { ToolSelectionService } from './tool-selection.ts';

type Dependencies = {
  servers: ToolServerService;
  openApiServers: OpenApiServerService;
  choices: ToolSelectionService;
  commands: CommandService;
};

export function toolServerRoutes({ route }: Router, { servers, openApiServers, choices, commands }: Dependencies) {
  route(api.list, ({ actor }) => servers.list(actor.userId));
  route(api.create, ({ actor, body }) => servers.create(actor, body));
  route(api.commands, async () => commands.names());
  route(api.addCommand, ({ actor, body }) => commands.add(actor, body));
  route(api.update, ({ actor, params, body }) => servers.update(actor, params.id, body));
  route(api.remove, ({ actor, params }) => servers.remove(actor, params.id));
  route(api.tools, ({ actor, params }) => servers.tools(actor.userId, params.id));
  route(api.refresh, ({ actor, params }) => servers.refresh(actor, params.id));
  route(openApi.create, ({ actor, body }) => openApiServers.create(actor, body));
  route(openApi.update, ({ actor, params, body }) => openApiServers.update(actor, params.id, body));
  route(openApi.description, ({ actor, params }) => openApiServers.description(actor.userId, params.id));
  route(openApi.operations, ({ actor, params }) => openApiServers.operations(actor.userId, params.id));
  route(openApi.chooseOperations, ({ actor, params, body }) =>
    openApiServers.choose(actor, params.id, body.operations),
  );
  route(api.chosen, ({ actor, params }) => choices.chosen(actor.userId, params.id));
  route(api.choose, ({ actor, params, body }) => choices.choose(actor, params.id, body.tools));
}
