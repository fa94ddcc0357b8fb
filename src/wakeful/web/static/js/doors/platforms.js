// The messaging platforms, as people call them, and what it takes to open a door there.

export const PLATFORMS = [
  {
    name: "telegram",
    title: "Telegram",
    first: "Make a bot with @BotFather in Telegram",
    settings: ["WAKEFUL_TELEGRAM_TOKEN"],
    guide: "docs/telegram.md",
  },
  {
    name: "discord",
    title: "Discord",
    first: "Make an application with a bot in Discord’s developer portal",
    extra: "wakeful[discord]",
    settings: ["WAKEFUL_DISCORD_TOKEN"],
    guide: "docs/discord.md",
  },
  {
    name: "slack",
    title: "Slack",
    first: "Make an app with Socket Mode on Slack’s page for apps",
    extra: "wakeful[slack]",
    settings: ["WAKEFUL_SLACK_BOT_TOKEN", "WAKEFUL_SLACK_APP_TOKEN"],
    guide: "docs/slack.md",
  },
];

export function isPlatform(name) {
  return PLATFORMS.some((platform) => platform.name === name);
}

export function platformTitle(name) {
  return PLATFORMS.find((platform) => platform.name === name)?.title ?? name.charAt(0).toUpperCase() + name.slice(1);
}

// Where a session or a post goes: "Telegram, Ops". A chat without a name has its id.
export function placeWords({ platform, chat_name: name, chat_id: id }) {
  return [platformTitle(platform), name || id].filter(Boolean).join(", ");
}
