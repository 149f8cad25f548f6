import requests

requests.post("https://tracker.example.com", auth=("me", "q7Xd2LmZ9vTfR4kYb8NwHs3PcJ6gAeUo"))
