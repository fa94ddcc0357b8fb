"""The adapter of schedules without a target: their turns run in sessions of their own, which the page shows."""

from wakeful.engine.cron_runs import CRON
from wakeful.gateway.platforms.base import BasePlatformAdapter


class CronAdapter(BasePlatformAdapter):
    name = CRON
