from flask import Flask, request, jsonify
import sqlite3
import yaml

app = Flask(__name__)


@app.route('/api/temperature_for_location', methods=['GET'])
def temperature_for_location():
    payload = request.args.get('payload')
    with open(payload) as f:
        data = yaml.load(f, Loader=yaml.Loader)
    latitude = data['latitude']
    longitude = data['longitude']
    date = data['date']

    conn = sqlite3.connect('test_dir/weather.db')
    cursor = conn.cursor()
    cursor.execute(f"SELECT temperature FROM weather WHERE latitude = {latitude} "
                   f"AND longitude = {longitude} AND date = '{date}'")
    row = cursor.fetchone()
    conn.close()
    return jsonify({'status_code': 200, 'data': {'temperature': row[0]}})


if __name__ == '__main__':
    app.run(debug=False)
