const router = 'web/src/app/router.tsx';

/** Adds a page with its route and its entry in the menu. */
export const page = {
  name: 'page',
  most: 7,
  code: [
    {
      file: 'web/src/features/usage/forecast-page.tsx',
      like: 'web/src/features/usage/analytics-page.tsx',
      text: `import { Page } from '#web/ui/page.tsx';

export function ForecastPage({ months }: { months: number }) {
  return <Page title="Forecast" lead={\`Costs of the next \${months} months.\`} />;
}
`,
    },
    {
      file: 'web/src/app/routes/forecast-route.tsx',
      like: 'web/src/app/routes/analytics-route.tsx',
      text: `import { useSearch } from '@tanstack/react-router';
import { ForecastPage } from '#web/features/usage/forecast-page.tsx';

export function ForecastRoute() {
  const { months = 1 } = useSearch({ from: '/signed-in/forecast' });
  return <ForecastPage months={months} />;
}
`,
    },
    {
      file: 'web/src/app/navigation.ts',
      before: "  { to: '/fine-tuning', label",
      text: "  { to: '/forecast', label: 'Forecast', icon: ChartNoAxesColumn, key: 'o' },\n",
    },
    { file: 'web/src/app/navigation.ts', before: "    | '/fine-tuning'", text: "    | '/forecast'\n" },
    {
      file: 'web/src/app/search.ts',
      before: 'export const analyticsSearch',
      text: 'export const forecastSearch = ({ months }: Raw) => (months === 2 ? { months } : {});\n\n',
    },
  ],
  demandingTypes: ['/forecast'],
  last: [
    {
      file: router,
      before: 'const fineTuning = createRoute',
      text: `const forecast = createRoute({
  getParentRoute: () => signedIn,
  path: '/forecast',
  validateSearch: forecastSearch,
  component: lazyRouteComponent(() => import('./routes/forecast-route.tsx'), 'ForecastRoute'),
});
`,
    },
    { file: router, before: '      fineTuning,\n', text: '      forecast,\n' },
    { file: router, before: '  analyticsSearch,\n', text: '  forecastSearch,\n' },
    { file: 'contracts/src/page-paths.ts', before: "  '/fine-tuning',", text: "  '/forecast',\n" },
  ],
};
