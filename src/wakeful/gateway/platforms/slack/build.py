"""Builds Slack's adapter from the settings."""

from wakeful.gateway.messaging.needs import PlatformNeeds
from wakeful.gateway.platforms.slack.adapter import SlackPlatform, SlackSettings


def build_slack(needs: PlatformNeeds) -> SlackPlatform:
    access = needs.access
    return SlackPlatform(SlackSettings(access.token, access.app_token, access.api_url, needs.timeout), needs.chats)
