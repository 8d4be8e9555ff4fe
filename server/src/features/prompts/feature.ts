import type { OpenDatabase } from '#server/db/connect';
import type { Router } from '#server/http/app-router/router';
import { promptExport, promptExportPart } from './export.ts';
import { promptImports } from './import.ts';
import { promptRoutes } from './routes.ts';
import { promptService } from './service.ts';

export function promptFeature({ database }: { database: OpenDatabase }) {
  const prompts = promptService(database.db);
  const imports = promptImports(database.db);
  const exported = promptExport(database);
  return {
    routes: (router: Router) => promptRoutes(router, { prompts, imports, exported }),
    exportParts: [promptExportPart(database)],
  };
}
